"""Linux: when the threads of a few processes can run again, as the kernel shows by their system
calls. What sleeps for a year, or waits for a lock that only a sleeping thread could give, need not
be waited for until its deadline.
"""

from __future__ import annotations

import math
import platform
import re
import struct
import time
from collections.abc import Iterable
from contextlib import suppress

from envdoctor.run.supervise import proc
from envdoctor.run.supervise.known_processes import RESOURCE_TRACKER
from envdoctor.run.supervise.stack_signal import STACK_SIGNAL

#: Numbers of the system calls by name; others may end at any moment.
_CALLS = {
    "x86_64": {
        "select": 23,
        "pause": 34,
        "nanosleep": 35,
        "wait4": 61,
        "rt_sigsuspend": 130,
        "futex": 202,
        "clock_nanosleep": 230,
        "waitid": 247,
        "pselect6": 270,
    },
    "aarch64": {
        "pselect6": 72,
        "waitid": 95,
        "futex": 98,
        "nanosleep": 101,
        "clock_nanosleep": 115,
        "rt_sigsuspend": 133,
        "wait4": 260,
    },
}
NAMES = {number: name for name, number in _CALLS.get(platform.machine(), {}).items()}

#: Signals that are not sent from outside as a message: interruption, crashes, the end of a child,
#: the two that threads of the C library need, and the one for stacks.
QUIET_SIGNALS = {2, 4, 6, 7, 8, 11, 17, 32, 33, int(STACK_SIGNAL)}
#: Python's own servant for names: it reads until all who hold its pipe are gone, and wakes no
#: thread.

_FUTEX_WAIT, _FUTEX_WAIT_BITSET, _PRIVATE, _REALTIME = 0, 9, 0x80, 0x100
_COMMAND = 0x7F  # of a futex's operation, without flags
_CLOCK_REALTIME, _CLOCK_MONOTONIC, _ABSOLUTE = 0, 1, 1


def wakes_at(pids: Iterable[int], main: int | None, since: float) -> float | None:
    """The earliest moment (time.monotonic()) at which a thread of these processes can run again,
    math.inf where none ever can; None where that cannot be told, or where the process `main` has
    ended: its guard tells how. The first thread of `main` began to wait after `since`.
    """
    pids, first = tuple(pids), math.inf
    if main is not None and (main not in pids or _has_ended(proc.read(f"/proc/{main}/status"))):
        return None
    for pid in pids:
        status = proc.read(f"/proc/{pid}/status")
        if _has_ended(status) or RESOURCE_TRACKER in proc.read(f"/proc/{pid}/cmdline"):
            continue
        if not status or _listens(status):
            return None
        for thread in proc.names(f"/proc/{pid}/task"):
            began = since if int(thread) == main else -math.inf
            moment = _thread_wakes_at(pid, thread, began)
            if moment is None:
                return None
            first = min(first, moment)
    # It may have ended since the first look: then nothing of it was there to be asked.
    return None if main is not None and _is_gone(main) else first


def sleeps(pid: int, thread: str) -> bool:
    """Return whether a thread waits until a moment comes, whether others wake it or not."""
    moment = _thread_wakes_at(pid, thread, 0.0)  # when it began to does not matter
    return moment is not None and math.isfinite(moment)


def _is_gone(pid: int) -> bool:
    status = proc.read(f"/proc/{pid}/status")
    return not status or _has_ended(status)


def _has_ended(status: str) -> bool:
    return re.search(r"^State:\s*[ZX]", status, re.MULTILINE) is not None


def _listens(status: str) -> bool:
    """Return True if a process has a handler for a signal that may come from outside, or from a
    timer.
    """
    match = re.search(r"^SigCgt:\s*([0-9a-f]+)", status, re.MULTILINE)
    caught = int(match[1], 16) if match else -1
    return any(
        caught >> (number - 1) & 1 and number not in QUIET_SIGNALS for number in range(1, 65)
    )


def _thread_wakes_at(pid: int, thread: str, since: float) -> float | None:
    words = proc.read(f"/proc/{pid}/task/{thread}/syscall").split()
    name = NAMES.get(int(words[0])) if len(words) > 6 and words[0].isdigit() else None
    if name is None:
        return None
    first, second, third, fourth, fifth = (int(word, 16) for word in words[1:6])
    if name in ("pause", "rt_sigsuspend", "wait4", "waitid"):
        return math.inf
    if name == "futex":
        return _futex_wakes_at(pid, second, fourth, since)
    if name == "clock_nanosleep":
        return _later(pid, third, since, absolute=bool(second & _ABSOLUTE), clock=first)
    if name == "nanosleep":
        return _later(pid, first, since)
    # select() that waits for nothing but the time: how Python 3.10 and before sleep.
    micro = name == "select"
    return _later(pid, fifth, since, micro=micro) if not first and fifth else None


def _futex_wakes_at(pid: int, operation: int, timeout: int, since: float) -> float | None:
    """A lock that no other process shares: only a thread of this one can give it."""
    command = operation & _COMMAND
    if not operation & _PRIVATE or command not in (_FUTEX_WAIT, _FUTEX_WAIT_BITSET):
        return None
    if not timeout:
        return math.inf
    clock = _CLOCK_REALTIME if operation & _REALTIME else _CLOCK_MONOTONIC
    return _later(pid, timeout, since, absolute=command == _FUTEX_WAIT_BITSET, clock=clock)


def _later(
    pid: int,
    address: int,
    since: float,
    absolute: bool = False,
    clock: int = _CLOCK_MONOTONIC,
    micro: bool = False,
) -> float | None:
    """The moment that a timespec of the process means (a timeval, if `micro`)."""
    with suppress(OSError, OverflowError, struct.error), open(f"/proc/{pid}/mem", "rb", 0) as file:
        file.seek(address)
        everything, part = struct.unpack("qq", file.read(16))
        seconds = float(everything + part / (1e6 if micro else 1e9))
        if not absolute:
            return since + seconds if since > -math.inf else None
        if clock == _CLOCK_MONOTONIC:
            return seconds
        if clock == _CLOCK_REALTIME:
            return time.monotonic() + seconds - time.time()
    return None
