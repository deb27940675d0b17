"""The C allocator: how many bytes are in use, and giving free ones back."""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any, Callable, Optional

_FIELDS = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")

_CONTROL = 1 << 16  # bytes of the positive control: below malloc's threshold for mmap, which a free above it would raise


@lru_cache(maxsize=None)
def missing() -> str:
    """Why the heap cannot be read here, or "" when it can. Proved by an allocation: under a preloaded jemalloc, glibc's
    meter is there and stands still.
    """
    meter = _meter()
    if meter is None:
        return "needs glibc 2.33 or psutil 7.2 in the target interpreter"
    before = meter()
    block = bytes(_CONTROL)
    grown = meter() - before
    del block
    return "" if grown >= _CONTROL else "the memory allocator in use does not tell how much it holds"


def used() -> int:
    """Bytes that malloc has handed out, mapped blocks included. Raises RuntimeError where it cannot be told."""
    meter = _meter()
    if meter is None:
        raise RuntimeError(missing())
    return meter()


def trim() -> None:
    """Give free memory back to the system, where there is a way."""
    trimmer = _trimmer()
    if trimmer is not None:
        trimmer()


@lru_cache(maxsize=None)
def libc() -> Any:
    """The C library as ctypes sees it, or None."""
    try:
        import ctypes

        return ctypes.CDLL(None)
    except (ImportError, OSError, TypeError):  # no ctypes in the build; Windows has no CDLL(None)
        return None


@lru_cache(maxsize=None)
def _meter() -> Optional[Callable[[], int]]:
    function = getattr(libc(), "mallinfo2", None)
    if function is not None:
        return _glibc_meter(function)
    heap_info = getattr(_psutil(), "heap_info", None)
    return None if heap_info is None else lambda: int(heap_info().heap_used + heap_info().mmap_used)


def _glibc_meter(function: Any) -> Callable[[], int]:
    import ctypes

    class Mallinfo2(ctypes.Structure):
        _fields_ = [(name, ctypes.c_size_t) for name in _FIELDS]

    function.restype, function.argtypes = Mallinfo2, ()

    def meter() -> int:
        info = function()
        return int(info.uordblks + info.hblkhd)

    return meter


@lru_cache(maxsize=None)
def _trimmer() -> Optional[Callable[[], Any]]:
    function = getattr(libc(), "malloc_trim", None)
    if function is None:
        return getattr(_psutil(), "heap_trim", None)
    return lambda: function(0)


@lru_cache(maxsize=None)
def _psutil() -> Any:
    try:
        return importlib.import_module("psutil")
    except ImportError:
        return None
