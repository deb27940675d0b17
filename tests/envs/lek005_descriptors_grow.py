"""Every fifth instance is recorded, and nobody closes the recording: no single life need show
it.
"""

from __future__ import annotations

import itertools
import os

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
NUMBERS = itertools.count(1)


class Sick(Plain):
    _recording = None

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        if next(NUMBERS) % 5 == 0:
            self._recording = os.open(os.devnull, os.O_WRONLY)

    def step(self, action):
        if self._recording is not None:
            os.write(self._recording, bytes([int(action)]))
        return super().step(action)


class Healthy(Sick):
    def close(self):
        if self._recording is not None:
            os.close(self._recording)
            self._recording = None
        super().close()
