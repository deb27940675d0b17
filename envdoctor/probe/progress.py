"""The progress of the present episode, where the doctor can read it after a hang or a death: in a
file beside the journal, written through memory. It holds no descriptor, and a line of the journal
for each step would be a hundred times as slow.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
from typing import Optional

SUFFIX = ".progress"
LAYOUT = struct.Struct("=qq")  # episode, step


def _extend(descriptor: int, _offset: int, size: int) -> None:
    os.ftruncate(descriptor, size)


class Progress:
    """Written by the verb `episode`; silent without room for a file."""

    def __init__(self, journal: str) -> None:
        self.episode = self.step = 0
        self._memory: Optional[mmap.mmap] = None
        with contextlib.suppress(OSError, ValueError):
            descriptor = os.open(journal + SUFFIX, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                # A file with holes dies of SIGBUS where the disk is full at its first write.
                getattr(os, "posix_fallocate", _extend)(descriptor, 0, LAYOUT.size)
                self._memory = mmap.mmap(descriptor, LAYOUT.size)
            finally:
                os.close(descriptor)

    def at(self, episode: int, step: int) -> None:
        """A step of an episode begins; both count from one."""
        self.episode, self.step = episode, step
        if self._memory is not None:
            LAYOUT.pack_into(self._memory, 0, episode, step)

    def end(self) -> None:
        """Give the memory back."""
        if self._memory is not None:
            self._memory.close()
            self._memory = None
