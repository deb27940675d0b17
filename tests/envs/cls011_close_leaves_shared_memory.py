"""The frame buffer is unmapped, but never unlinked."""

from __future__ import annotations

from multiprocessing import shared_memory

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
GIVES_WAY = {"LEK009": "CLS011"}


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._frame = shared_memory.SharedMemory(create=True, size=4096)

    def close(self):
        self._frame.close()


class Healthy(Sick):
    def close(self):
        if self._frame is not None:
            self._frame.close()
            self._frame.unlink()
            self._frame = None
