"""reset() writes into the array that step() returned last: the vectorizer resets before it hands
the final observation on.
"""

from __future__ import annotations

import numpy as np
from plain import Plain

ARGUMENTS = ["--managers", "gymnasium-sync,gymnasium-async", "--start-methods", "fork"]
ALSO = ["API011"]  # the same array, seen without a vectorizer

HORIZON = 30


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._observation = np.zeros(3, np.float32)

    def reset(self, *, seed=None, options=None):
        self._step = 0
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self._step += 1
        observation, reward, _, _, info = super().step(action)
        return observation, reward, False, self._step >= HORIZON, info

    def _observe(self):
        self._observation[:] = super()._observe()
        return self._observation


class Healthy(Sick):
    def _observe(self):
        return super()._observe().copy()
