"""Memory that is shared with the doctor: a file, mapped through the C library, so that the process
has no descriptor more.
"""

from __future__ import annotations

import ctypes
import mmap
import os

from envdoctor.model.page import MAGIC, MARK, PID, SIZE

MAP_FIXED = 0x10
FAILED = ctypes.c_void_p(-1).value
FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC


class Page:
    """The page of this process; `numbers` are its numbers, the same object in a forked child."""

    def __init__(self, path: str) -> None:
        self._map = ctypes.CDLL(None, use_errno=True).mmap
        self._map.restype = ctypes.c_void_p
        self._map.argtypes = [
            ctypes.c_void_p,
            ctypes.c_size_t,
            ctypes.c_int,
            ctypes.c_int,
            ctypes.c_int,
            ctypes.c_long,
        ]
        self.address = self._mapped(None, path, 0)
        array = (ctypes.c_int64 * (SIZE // 8)).from_address(self.address)
        self.numbers: memoryview = memoryview(array).cast("B").cast("q")
        self.sign()

    def sign(self) -> None:
        """Say whose it is, and that it is complete."""
        self.numbers[PID] = os.getpid()
        self.numbers[MAGIC] = MARK

    def renew(self, path: str) -> None:
        """In a forked child: put a page of its own in the place of its parent's. Where a file
        has no room, memory that the doctor does not see.
        """
        try:
            self._mapped(self.address, path, MAP_FIXED)
        except OSError:
            anonymous = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED
            self._map(self.address, SIZE, mmap.PROT_READ | mmap.PROT_WRITE, anonymous, -1, 0)
        self.sign()

    def _mapped(self, address: object, path: str, more: int) -> int:
        descriptor = os.open(path, FLAGS, 0o600)
        try:
            os.ftruncate(descriptor, SIZE)
            protection = mmap.PROT_READ | mmap.PROT_WRITE
            mapped = self._map(address, SIZE, protection, mmap.MAP_SHARED | more, descriptor, 0)
        finally:
            os.close(descriptor)
        if mapped is None or mapped == FAILED:
            raise OSError(ctypes.get_errno(), "mmap")
        return int(mapped)
