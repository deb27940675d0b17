"""Linux: know at once that a file was written to, without looking again and again."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from pathlib import Path

IN_MODIFY = 0x02
READ = 1 << 16  # bytes


class Notices:
    """Notices of writes to a file. `descriptor` is readable when there are some; it is -1 where the
    kernel gives none, and the file is looked at now and then.
    """

    def __init__(self, file: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = int(libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK))
        if self.descriptor >= 0:
            libc.inotify_add_watch(self.descriptor, os.fsencode(file), IN_MODIFY)

    def clear(self) -> None:
        """Take the notices that are there."""
        with suppress(OSError):
            os.read(self.descriptor, READ)

    def close(self) -> None:
        """Give the descriptor back."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
