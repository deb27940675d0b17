"""Frames that know their successor and their predecessor, and a gc.collect() at every reset,
"because of the memory".
"""

from __future__ import annotations

import gc
import weakref

import numpy as np
from plain import Plain


class Frame:
    def __init__(self, before):
        self.pixels = np.zeros((84, 84, 3), np.uint8)
        self.before = before
        self.after = None


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        self._frame = Frame(None)
        gc.collect()
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self._frame.after = Frame(self._frame)
        self._frame = self._frame.after
        return super().step(action)


class Healthy(Sick):
    def reset(self, *, seed=None, options=None):
        self._frame = Frame(None)
        return Plain.reset(self, seed=seed, options=options)

    def step(self, action):
        following = Frame(weakref.ref(self._frame))
        self._frame = following
        return Plain.step(self, action)

    def close(self):
        gc.collect()  # once in a life: nobody waits for it
