"""Frames go to another program through shared memory: it is unmapped in close(), and its name
stays on the machine.
"""

from __future__ import annotations

from multiprocessing import shared_memory

from plain import Plain


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._frames = shared_memory.SharedMemory(create=True, size=4096)

    def close(self):
        self._frames.close()
        super().close()


class Healthy(Sick):
    _unlinked = False

    def close(self):
        super().close()
        if not self._unlinked:
            self._unlinked = True
            self._frames.unlink()
