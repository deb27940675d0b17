"""Maps a frame buffer for every instance and never unmaps it; neither Python nor malloc knows
of it.
"""

from __future__ import annotations

import compiled
from plain import Plain

native = compiled.leaks()
FRAME = 256 * 1024


class Sick(Plain):
    _frame = None

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._frame = native.take_pages(FRAME)


class Healthy(Sick):
    def close(self):
        if self._frame is not None:
            native.give_pages(self._frame, FRAME)
            self._frame = None
        super().close()
