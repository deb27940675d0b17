"""Every fifth instance is shown by a viewer, which gets its frames through shared memory and
never lets go of them.
"""

from __future__ import annotations

import itertools
from multiprocessing import shared_memory

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
GIVES_WAY = {"LEK001": "LEK009"}
NUMBERS = itertools.count(1)
VIEWER = []


class Sick(Plain):
    _frames = None

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        if next(NUMBERS) % 5 == 0:
            self._frames = shared_memory.SharedMemory(create=True, size=4096)
            VIEWER.append(self._frames)


class Healthy(Sick):
    def close(self):
        if self._frames is not None:
            VIEWER.remove(self._frames)
            self._frames.close()
            self._frames.unlink()
            self._frames = None
        super().close()
