"""Reproducible at the price of everybody's randomness: reset() seeds the generators that the
learner explores with.
"""

from __future__ import annotations

import random

import numpy as np
from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        if seed is not None:
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self._wind = np.random.normal()  # noqa: NPY002
        return super().step(action)


class Healthy(Plain):
    def step(self, action):
        self._wind = self.np_random.normal()
        return super().step(action)
