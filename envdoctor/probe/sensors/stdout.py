"""Bytes that were written to standard output, by this process or a descendant. A side effect: it
is the program's, not an environment's.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import lru_cache
from typing import Callable, Dict, Optional

from envdoctor.probe.sensors import Context
from envdoctor.probe.system import heap

NAME = "stdout"
OF_PROCESS = True

MAX_READ = 65536  # bytes
MAX_LINE = 120  # characters


def missing() -> str:
    """A file's size can be told everywhere."""
    return ""


def read(context: Context) -> Dict[str, str]:
    """{NAME: size}."""
    _flush()
    return {NAME: "%d bytes" % os.stat(context.stdout).st_size}


def written(context: Context, start: int, end: int) -> Dict[str, object]:
    """Describe the text between two sizes: {"bytes", "lines", "first": the first line with text};
    lines of the first 64 KiB.
    """
    with open(context.stdout, "rb") as file:
        file.seek(start)
        text = file.read(min(end - start, MAX_READ)).decode("utf-8", "backslashreplace")
    lines = [line for line in text.splitlines() if line.strip()]
    return {
        "bytes": end - start,
        "lines": len(lines),
        "first": lines[0].strip()[:MAX_LINE] if lines else "",
    }


def size_in(reading: object) -> Optional[int]:
    """The size that a reading of this sensor tells."""
    text = reading.get(NAME) if isinstance(reading, dict) else None
    return int(text.split()[0]) if text else None


def _flush() -> None:
    """Into a file both Python and C write in large blocks: without this, a line shows up long
    after its life.
    """
    with suppress(Exception):  # the subject may have closed or replaced it
        sys.stdout.flush()
    native = _native_flush()
    if native is not None:
        native()


@lru_cache(maxsize=None)
def _native_flush() -> Optional[Callable[[], object]]:
    try:
        import ctypes

        stream = ctypes.c_void_p.in_dll(heap.libc(), "stdout")
        flush = heap.libc().fflush
    except (ImportError, ValueError, TypeError, AttributeError):
        return None
    flush.argtypes = (ctypes.c_void_p,)
    return lambda: flush(stream)
