"""Linux: threads that cannot end by themselves, as the kernel shows by their system calls.

One that waits for a lock without a limit, as `Event().wait()` does, goes on when another thread of
its process gives it. Where all others wait so as well, but for the one that looks, it stays.
"""

from __future__ import annotations

import os
import threading
from typing import Optional, Tuple

from envdoctor.probe.system import kernel

#: The number of the system call.
_FUTEX = {"x86_64": 202, "aarch64": 98}.get(os.uname().machine) if hasattr(os, "uname") else None
_WAITS = (0, 9)  # FUTEX_WAIT, FUTEX_WAIT_BITSET
_COMMAND, _PRIVATE = 0x7F, 0x80

#: Signals whose handlers give no lock: an interruption, crashes, and the two of the C library.
_QUIET = frozenset([2, 4, 6, 7, 8, 11, 32, 33])

Look = Optional[Tuple[str, ...]]


def look() -> Look:
    """The system calls of all other threads of this process, where each waits for a lock of this
    process without a limit; None where one may go on by itself, or a signal's handler might run.

    A thread that has just been given its lock may look so for a moment: two equal looks with a
    pause between them are a proof, in which the asking thread gave none.
    """
    if not kernel.HAS_PROC or _FUTEX is None or _listens():
        return None
    own = str(threading.get_native_id())
    calls = []
    for thread in kernel.names("/proc/self/task"):
        if thread == own:
            continue
        call = kernel.read("/proc/self/task/%s/syscall" % thread)
        if not waits_for_ever(call):
            return None
        calls.append("%s %s" % (thread, call))
    return tuple(calls)


def waits_for_ever(call: str) -> bool:
    """True for a line of /proc/PID/task/TID/syscall that is the wait for a private lock without a
    limit.
    """
    words = call.split()
    if len(words) < 7 or words[0] != str(_FUTEX):
        return False
    operation, timeout = int(words[2], 16), int(words[4], 16)
    return bool(operation & _PRIVATE) and operation & _COMMAND in _WAITS and not timeout


def _listens() -> bool:
    """True where this process has a handler for a signal that may come from outside or from a
    timer.
    """
    quiet = {*_QUIET, int(os.getenv("ENVDOCTOR_STACK_SIGNAL") or 0)}
    _, separator, rest = kernel.read("/proc/self/status").partition("SigCgt:")
    caught = int(rest.split()[0], 16) if separator else -1
    return any(caught >> (number - 1) & 1 and number not in quiet for number in range(1, 65))
