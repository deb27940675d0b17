"""How much was written to standard output, by this process or a descendant. A side effect: it is the program's, not an environment's."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import lru_cache
from typing import Any, Callable, Dict, Optional

from envdoctor.probe import heap
from envdoctor.probe.sensors import Context

NAME = "stdout"


def missing() -> str:
    """A file's size can be told everywhere."""
    return ""


def read(context: Context) -> Dict[str, str]:
    """{"stdout": size}."""
    _flush()
    return {"stdout": "%d bytes" % os.stat(context.stdout).st_size}


def _flush() -> None:
    """Into a file both Python and C write in large blocks: without this, a line shows up long after its life."""
    with suppress(Exception):  # the subject may have closed or replaced it
        sys.stdout.flush()
    native = _native_flush()
    if native is not None:
        native()


@lru_cache(maxsize=None)
def _native_flush() -> Optional[Callable[[], Any]]:
    try:
        import ctypes

        stream = ctypes.c_void_p.in_dll(heap.libc(), "stdout")
        flush = heap.libc().fflush
    except (ImportError, ValueError, TypeError, AttributeError):
        return None
    flush.argtypes = (ctypes.c_void_p,)
    return lambda: flush(stream)
