"""A callback that is the environment's own method makes a cycle, and the cycle holds two
megabytes of frames.
"""

from __future__ import annotations

import numpy as np
from plain import Plain

GIVES_WAY = {"LEK011": "CLS013"}


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._frames = np.ones((8, 512, 512), np.uint8)
        self._callbacks = [self._remember]

    def step(self, action):
        for callback in self._callbacks:
            callback(action)
        return super().step(action)

    def _remember(self, action):
        self._frames[self._steps % 8] = action


class Healthy(Sick):
    def reset(self, *, seed=None, options=None):
        self._callbacks = [self._remember]
        return super().reset(seed=seed, options=options)

    def close(self):
        self._callbacks.clear()
        super().close()
