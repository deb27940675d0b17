"""The stacks of a hung probe and of its workers, before they are ended."""

from __future__ import annotations

import time
from pathlib import Path

from envdoctor.run.supervise import guard
from envdoctor.run.supervise.idle_detection import Allowance
from envdoctor.run.supervise.limits import Limits
from envdoctor.run.supervise.machine import machine
from envdoctor.run.supervise.output import MAX_BYTES, since, size
from envdoctor.run.supervise.probe_process import ProbeProcess
from envdoctor.run.supervise.stack_signal import STACK_SIGNAL

POLL = 0.005  # seconds
QUIET = 0.025  # seconds without growth after which a dump is taken for complete
PATIENCE = 0.3  # seconds for one process to begin its dump


def collect(probe: ProbeProcess, limits: Limits) -> str:
    """Signal the probe and then each of its descendants that catches the signal; their dumps, each
    under a heading.

    One after another, so that the dumps do not mix: all write to the same file.
    """
    pids = list(filter(None, (probe.pid, *probe.others())))
    together = Allowance(limits.stacks, pids, limits.cores)
    dumps = [
        _dump(pid, probe.home / "stacks", limits.cores)
        for pid in pids
        if machine.catches(pid, STACK_SIGNAL) and not together.is_over(pids)
    ]
    return "\n".join(filter(None, dumps))[:MAX_BYTES]


def _dump(pid: int, path: Path, cores: int) -> str:
    """One process's dump, under its heading; nothing when it does not begin."""
    start = observed = size(path)
    waiting = Allowance(PATIENCE, [pid], cores)
    guard.kill(pid, STACK_SIGNAL)
    while not (waiting.is_over([pid]) or waiting.is_given_up):
        time.sleep(POLL)
        now = size(path)
        if now > observed:
            observed, waiting = now, Allowance(QUIET, [pid], cores)
    text = since(path, start)
    return f"Process {pid} ({machine.describe(pid)}):\n{text}" if text else ""
