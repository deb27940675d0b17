"""CUDA without a framework: the driver's own calls, as an environment makes them."""

from __future__ import annotations

import ctypes
from functools import lru_cache


@lru_cache(maxsize=None)
def driver():
    """The driver, with a context of this process on the first GPU."""
    library = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    must(library.cuInit(0))
    must(library.cuDeviceGet(ctypes.byref(device), 0))
    must(library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    must(library.cuCtxSetCurrent(context))
    return library


def take(size):
    """So many bytes of the GPU, as the driver calls them."""
    pointer = ctypes.c_ulonglong()
    must(driver().cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(size)))
    return pointer.value


def free(pointer, size):
    """Give them back. The driver knows the size; it does no harm to tell it."""
    must(driver().cuMemFree_v2(ctypes.c_ulonglong(pointer), ctypes.c_size_t(size)))


def must(result):
    """Raise where a call of the driver failed."""
    if result:
        raise RuntimeError(f"CUDA says {result}")
