"""What the doctor asked of the allocator: for the processes whose memory is measured, and for no program that an environment
starts.

ViZDoom's engine uses memory after it gave it back, which nobody notices until an allocator takes it at once: with the doctor's
settings it crashed at every close, and its user never sees that.
"""

from __future__ import annotations

import os
from typing import Any

VARIABLE = "GLIBC_TUNABLES"  # read by the C library when a process image starts, never later
USERS = "ENVDOCTOR_TUNABLES"  # what the user had there, empty for nothing


def hand_back() -> str:
    """Programs started from here on get what the user asked of the allocator. Returns what was asked of it before."""
    ours = os.environ.pop(VARIABLE, "")
    if os.environ.get(USERS):
        os.environ[VARIABLE] = os.environ[USERS]
    return ours


def lend_to_workers(ours: str) -> None:
    """Let the Python processes that multiprocessing starts have `ours`: their memory is measured as well. They hand it back
    themselves when they build their first instance.
    """
    from multiprocessing import util

    start = util.spawnv_passfds

    def start_with_ours(*args: Any) -> int:
        os.environ[VARIABLE] = ours
        try:
            return start(*args)
        finally:
            hand_back()

    util.spawnv_passfds = start_with_ours
