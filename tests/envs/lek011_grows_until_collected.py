"""Every frame knows its successor and its predecessor: a cycle, so that frames of 100 KB wait
for the garbage collector.
"""

from __future__ import annotations

import numpy as np
from plain import Plain


class Frame:
    def __init__(self, before):
        self.pixels = np.zeros((210, 160, 3), np.uint8)
        self.before = before
        self.after = None


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        self._frame = Frame(None)
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self._frame.after = Frame(self._frame)
        self._frame = self._frame.after
        return super().step(action)


class Healthy(Sick):
    def step(self, action):
        self._frame = Frame(None)
        return Plain.step(self, action)
