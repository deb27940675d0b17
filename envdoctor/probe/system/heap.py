"""The C allocator: how many bytes are in use, and giving free ones back."""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any, Callable, Optional, Tuple

_FIELDS = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"

# Bytes of the positive control: below malloc's threshold for mmap, which a free above it would
# raise.
_CONTROL = 1 << 16


@lru_cache(maxsize=None)
def missing() -> str:
    """Return why the heap cannot be read here, or "" when it can. Proved by an allocation: under
    a preloaded jemalloc, glibc's meter is there and stands still.
    """
    meter = _meter()
    if meter is None:
        return "needs glibc 2.33 or psutil 7.2 in the target interpreter"
    before = meter()
    block = bytes(_CONTROL)
    grown = meter() - before
    del block
    return (
        "" if grown >= _CONTROL else "the memory allocator in use does not tell how much it holds"
    )


def used() -> int:
    """Bytes that malloc has handed out, mapped blocks included. Raises RuntimeError where it
    cannot be told.
    """
    meter = _meter()
    if meter is None:
        raise RuntimeError(missing())
    return meter()


def mapped() -> int:
    """Bytes that malloc has of the system, free ones included. Raises RuntimeError where it cannot
    be told.
    """
    information = mallinfo()
    if information is None:
        raise RuntimeError(mapped_missing())
    statistics = information()
    return int(statistics.arena + statistics.hblkhd)


def mapped_missing() -> str:
    """Return why `mapped` cannot be told here, or ""."""
    return "" if mallinfo() is not None else "needs glibc 2.33 in the target interpreter"


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
    information = mallinfo()
    if information is not None:
        return lambda: int(sum(_used(information())))
    heap_info = getattr(_psutil(), "heap_info", None)
    return None if heap_info is None else lambda: int(heap_info().heap_used + heap_info().mmap_used)


def _used(statistics: Any) -> Tuple[int, int]:
    return statistics.uordblks, statistics.hblkhd


@lru_cache(maxsize=None)
def mallinfo() -> Optional[Callable[[], Any]]:
    """The function that asks glibc's malloc about itself; None where there is none."""
    function = getattr(libc(), "mallinfo2", None)
    if function is None:
        return None
    import ctypes

    class Mallinfo2(ctypes.Structure):
        _fields_ = [(name, ctypes.c_size_t) for name in _FIELDS.split()]

    function.restype, function.argtypes = Mallinfo2, ()
    asking: Callable[[], object] = function
    return asking


@lru_cache(maxsize=None)
def _trimmer() -> Optional[Callable[[], object]]:
    function = getattr(libc(), "malloc_trim", None)
    if function is None:
        return getattr(_psutil(), "heap_trim", None)
    return lambda: function(0)


@lru_cache(maxsize=None)
def _psutil() -> object:
    try:
        return importlib.import_module("psutil")
    except ImportError:
        return None
