"""Settings that the doctor asks of the allocator: for the processes whose memory is measured, and
for no program that an environment starts.

ViZDoom's engine uses memory after it gave it back, which has no effect until an allocator takes it
at once: with the doctor's settings it crashed at every close, and its user never sees that.
"""

from __future__ import annotations

import os
from typing import Any, List

VARIABLE = "GLIBC_TUNABLES"  # read by the C library when a process image starts, never later
USERS = "ENVDOCTOR_TUNABLES"  # what the user had there; empty for nothing

_doctors: List[str] = []  # what the doctor asked, once it was handed back
_lending: List[bool] = []


def hand_back() -> None:
    """Programs that are started from here on get what the user asked of the allocator."""
    asked, theirs = os.environ.get(VARIABLE, ""), os.environ.get(USERS, "")
    if asked == theirs:
        return
    _doctors[:] = [asked]
    if theirs:
        os.environ[VARIABLE] = theirs
    else:
        del os.environ[VARIABLE]


def lend_to_workers() -> None:
    """Let the Python processes that multiprocessing starts have the doctor's settings: their memory
    is measured as well. They hand them back themselves when they build their first instance.
    """
    if _lending or not _doctors:
        return
    from multiprocessing import util

    _lending.append(True)
    start = util.spawnv_passfds

    def start_with_ours(*arguments: Any) -> int:
        os.environ[VARIABLE] = _doctors[0]
        try:
            return start(*arguments)
        finally:
            hand_back()

    util.spawnv_passfds = start_with_ours  # type: ignore[assignment]
