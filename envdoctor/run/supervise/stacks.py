"""The stacks of a hung probe and of its workers, before they are ended."""

from __future__ import annotations

import time
from pathlib import Path

from envdoctor.run.supervise import guard
from envdoctor.run.supervise.machine import machine
from envdoctor.run.supervise.output import MAX_BYTES, since, size
from envdoctor.run.supervise.probe_process import ProbeProcess
from envdoctor.run.supervise.stack_signal import STACK_SIGNAL

POLL = 0.005  # seconds
QUIET = 0.025  # seconds without growth after which a dump is taken for complete
PATIENCE = 0.3  # seconds for one process to begin its dump


def collect(probe: ProbeProcess, seconds: float) -> str:
    """Signal the probe and then each of its descendants that catches the signal; their dumps, each
    under a heading.

    One after another, so that the dumps do not mix: all write to the same file.
    """
    deadline = time.monotonic() + seconds
    pids = filter(None, (probe.pid, *probe.others()))
    dumps = [
        _dump(pid, probe.home / "stacks", deadline)
        for pid in pids
        if machine.catches(pid, STACK_SIGNAL)
    ]
    return "\n".join(filter(None, dumps))[:MAX_BYTES]


def _dump(pid: int, path: Path, deadline: float) -> str:
    """One process's dump, under its heading; nothing when the deadline has passed or the
    process does not begin.
    """
    deadline = min(deadline, time.monotonic() + PATIENCE)
    start = seen = size(path)
    grown_at = None
    if time.monotonic() < deadline:
        guard.kill(pid, STACK_SIGNAL)
    while time.monotonic() < deadline:
        time.sleep(POLL)
        now = size(path)
        if now > seen:
            seen, grown_at = now, time.monotonic()
        elif grown_at is not None and time.monotonic() - grown_at > QUIET:
            break
    text = since(path, start)
    return f"Process {pid} ({machine.describe(pid)}):\n{text}" if text else ""
