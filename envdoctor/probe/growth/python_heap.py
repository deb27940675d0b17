"""Bytes in Python's own allocator, and in the arenas that it maps for them, exact: what
`sys._debugmallocstats()` prints of it.

`sys.getallocatedblocks()` counts the same blocks, of any size. Together with malloc's bytes
this is all the memory of Python's objects, so that one figure tells what a list of small tuples
costs: memray tells the sizes that were asked for, before the allocator rounds them up. An arena has
256 KiB or 1 MiB: whether one is mapped while cycles are counted hangs on how full the last one was.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from array import array

_ALLOCATED = re.compile(rb"# bytes in allocated blocks\s*=\s*([\d,]+)")
_ARENAS = re.compile(rb"arenas \* \d+ bytes/arena\s*=\s*([\d,]+)")
_STDERR = 2
_MOST = 1 << 16  # bytes of what is printed; it has some three thousand


#: Bytes in blocks and in arenas, as they were printed last.
_printed_last = array("q", [0, 0])


def missing() -> str:
    """Return why the bytes cannot be read here, or an empty text."""
    if not hasattr(sys, "_debugmallocstats"):
        return "this interpreter does not tell what its allocator holds"
    return "" if read() else "Python's own allocator is switched off (PYTHONMALLOC)"


def read() -> int:
    """Bytes in use; 0 where the interpreter prints none."""
    printed = _printed()
    for at, wanted in enumerate((_ALLOCATED, _ARENAS)):
        match = wanted.search(printed)
        _printed_last[at] = int(match.group(1).replace(b",", b"")) if match else 0
    return _printed_last[0]


def mapped_missing() -> str:
    """Return why the bytes of arenas cannot be read here, or an empty text."""
    reason = missing()
    return reason or ("" if mapped() else "this interpreter does not say how many arenas it has")


def mapped() -> int:
    """Bytes of arenas when `read()` was called last."""
    return _printed_last[1]


def _printed() -> bytes:
    """Return what the interpreter prints, caught on the way to the standard error of C."""
    caught = _memory_file()
    try:
        earlier = os.dup(_STDERR)
    except OSError:  # the environment closed it
        earlier = -1
    try:
        os.dup2(caught, _STDERR)
        sys._debugmallocstats()
        os.lseek(caught, 0, os.SEEK_SET)
        return os.read(caught, _MOST)
    finally:
        if earlier >= 0:
            os.dup2(earlier, _STDERR)
            os.close(earlier)
        else:
            os.close(_STDERR)
        os.close(caught)


def _memory_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("envdoctor")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
