"""Text that was written and waits: Python keeps the lines of a text file in a list until there are
8 KiB of them. Within a search for growth, that list seems to be a leak.
"""

from __future__ import annotations

import gc
import io
import os
import stat
import sys
import weakref
from contextlib import suppress
from typing import Any, List

from envdoctor.probe import stacks
from envdoctor.probe.system import kernel

STANDARD = (0, 1, 2)
_left_out: List[Any] = []  # weak references to files that `gc.get_objects()` does not list any more


def remember() -> None:
    """For the moment before `gc.freeze()`."""
    _left_out[:] = map(weakref.ref, _open())


def flush() -> None:
    """Write what waits, to regular files only: a pipe may be full, and not be read."""
    for file in _open():
        with suppress(Exception):  # it is closed, or the disk is full
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                file.flush()


def _open() -> List[io.TextIOWrapper]:
    if not _is_any_written():
        return [each for each in (sys.stdout, sys.stderr) if isinstance(each, io.TextIOWrapper)]
    listed = [each for each in gc.get_objects() if type(each) is io.TextIOWrapper]
    known = set(map(id, listed))
    earlier = [file for reference in _left_out for file in [reference()] if file is not None]
    return listed + [file for file in earlier if id(file) not in known]


def _is_any_written() -> bool:
    """Return whether a regular file is open for writing besides the standard streams and the file
    of stacks, which faulthandler writes by its number. Where there is PyTorch, to look through
    all objects takes a thousand times as long.
    """
    ours = {*STANDARD, *stacks.descriptors()}
    return not kernel.HAS_PROC or any(
        target.startswith("/") and int(number) not in ours and _is_written(int(number))
        for number, target in kernel.descriptors(os.getpid()).items()
    )


def _is_written(descriptor: int) -> bool:
    from fcntl import F_GETFL, fcntl

    with suppress(OSError):
        access = fcntl(descriptor, F_GETFL) & os.O_ACCMODE
        return access != os.O_RDONLY and stat.S_ISREG(os.fstat(descriptor).st_mode)
    return False
