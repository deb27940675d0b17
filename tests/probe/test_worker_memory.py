"""Memory that the processes of workers hold, as the kernel counts it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from envdoctor.probe.system import kernel, worker_memory

HOLDS = 64 * 2**20  # bytes
CHILD = (
    f"import sys; held = bytearray(b'x') * {HOLDS}; print('ready', flush=True); sys.stdin.read()"
)
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CHILD!r}])"

pytestmark = pytest.mark.skipif(
    not kernel.read("/proc/self/smaps_rollup"), reason="the kernel does not tell"
)


@pytest.mark.parametrize("code", [CHILD, PARENT], ids=["itself", "what it started"])
def test_a_worker_and_what_it_started(code: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        (held,) = worker_memory.read([worker.pid])
        worker.communicate("")
    assert held["pid"] == worker.pid
    assert HOLDS < held["uss"] <= held["pss"] <= held["rss"] < 3 * HOLDS


def test_ended_process_is_not_read() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert [held["pid"] for held in worker_memory.read([gone.pid, os.getpid()])] == [os.getpid()]
