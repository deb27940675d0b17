"""The last observation of an episode is an array that the next reset() writes into: the vectorizer
resets before it hands it on.
"""

from __future__ import annotations

import numpy as np
from plain import Plain

ARGUMENTS = ["--managers", "gymnasium-sync,gymnasium-async", "--start-methods", "fork"]

HORIZON = 30


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._last = np.zeros(3, np.float32)

    def reset(self, *, seed=None, options=None):
        self._step = 0
        observation, info = super().reset(seed=seed, options=options)
        self._last[:] = observation
        return observation, info

    def step(self, action):
        self._step += 1
        observation, reward, _, _, info = super().step(action)
        is_over = self._step >= HORIZON
        return self._kept(observation) if is_over else observation, reward, False, is_over, info

    def _kept(self, observation):
        self._last[:] = observation
        return self._last


class Healthy(Sick):
    def _kept(self, observation):
        return super()._kept(observation).copy()
