"""Memory that the processes below this one have written.

One that comes or goes between two readings says nothing: a simulator that each reset() starts anew
is another process. Nor does one with a collector of its own, whose heap grows until that runs.
"""

from __future__ import annotations

import os
import time
from array import array
from typing import Dict, List

from envdoctor.model import process_memory
from envdoctor.probe.system import family, kernel

MOST = 64  # processes that are followed
TRIES = 6  # readings until two agree: who has answered may still be tidying up
PAUSE = 0.002  # seconds


def missing() -> str:
    """Return why it cannot be read here, or ""."""
    if not kernel.HAS_PROC:
        return kernel.NO_PROC
    return "" if os.path.exists("/proc/self/smaps_rollup") else "needs /proc/PID/smaps_rollup"


# One row a process, in room that is there before: what the reading keeps would be growth.
_pids = array("q", [0]) * MOST
_starts = array("q", [0]) * MOST
_first = array("q", [0]) * MOST  # bytes at the last `begin`; -1: it began later
_last = array("q", [0]) * MOST
_collected = array("b", [0]) * MOST  # whether another collector frees it
_total = array("q", [0])


def begin(guard: int) -> int:
    """As `grown`, and from here on is counted what `rows` tell."""
    total = grown(guard)
    for at in range(MOST):
        _first[at] = _last[at]
    return total


def grown(guard: int) -> int:
    """Bytes by which processes grew that lived through two readings, over all readings so far."""
    present = [process.pid for process in family.family(guard) if not process.zombie]
    for at in range(MOST):
        if _pids[at] not in present:
            _pids[at] = 0
    followed = [at for at in map(_follow, present) if at >= 0]
    for at, size in zip(followed, settled([_pids[at] for at in followed])):
        _keep(at, size)
    return _total[0]


def as_before() -> int:
    """Return the last reading."""
    return _total[0]


def _follow(pid: int) -> int:
    """Return the row of a process that was there at an earlier reading; -1 where it was not. One
    that is new is read once.
    """
    start, row = started(pid), _row_of(pid)
    if row < 0 or not start:
        return -1
    if _pids[row] == pid and _starts[row] == start:
        return row
    _pids[row], _starts[row], _first[row], _last[row] = pid, start, -1, held(pid)
    _collected[row] = collector_of(pid) != ""
    if _last[row] < 0:
        _pids[row] = 0
    return -1


def _keep(row: int, size: int) -> None:
    if size < 0:
        _pids[row] = 0
        return
    _total[0] += 0 if _collected[row] else size - _last[row]
    _last[row] = size


def _row_of(pid: int) -> int:
    """The row of a process, or one that is free."""
    for row in range(MOST):
        if _pids[row] == pid:
            return row
    for row in range(MOST):
        if not _pids[row]:
            return row
    return -1


def settled(pids: List[int]) -> List[int]:
    """Bytes of each process, once two readings of it agree, or the last of some. All wait together:
    a reading of forty processes takes hardly longer than that of one.
    """
    sizes = [held(pid) for pid in pids]
    waiting = list(range(len(pids)))
    for _ in range(TRIES):
        if not waiting:
            break
        time.sleep(PAUSE)
        earlier = [sizes[at] for at in waiting]
        for at in waiting:
            sizes[at] = held(pids[at])
        waiting = [at for at, size in zip(waiting, earlier) if sizes[at] != size]
    return sizes


def held(pid: int) -> int:
    """Bytes of a process; -1 where it is gone or not ours to read."""
    return process_memory.written(kernel.read("/proc/%d/smaps_rollup" % pid))


def started(pid: int) -> int:
    """Return when a process was started, in the kernel's ticks; 0 where it is gone."""
    fields = kernel.read("/proc/%d/stat" % pid).rpartition(")")[2].split()
    return int(fields[19]) if len(fields) > 19 else 0


def collector_of(pid: int) -> str:
    """Return what has a collector of its own for the memory of a process, where that is known:
    "Java".
    """
    folder = "/proc/%d/" % pid
    try:
        program = os.readlink(folder + "exe")
    except OSError:
        return ""
    maps = kernel.read(folder + "maps").splitlines()
    return process_memory.collector((program, *maps), _head(folder + "exe"))


def _head(program: str) -> bytes:
    try:
        with open(program, "rb", buffering=0) as file:
            return file.read(process_memory.HEADERS)
    except OSError:
        return b""


def rows(guard: int) -> List[Dict[str, object]]:
    """[{command, pid, before, after, collector}] of each process that lived from `begin` on, in
    bytes at that time and at the last reading.
    """
    texts = {process.pid: process.text for process in family.family(guard)}
    return [
        {
            "command": texts[pid],
            "pid": pid,
            "before": _first[at],
            "after": _last[at],
            "collector": collector_of(pid),
        }
        for at, pid in enumerate(_pids)
        if pid in texts and _first[at] >= 0
    ]
