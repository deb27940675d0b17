"""One array for all observations, written over at every step to save an allocation."""

from __future__ import annotations

import numpy as np
from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._observation = np.zeros(3, np.float32)

    def _observe(self):
        self._observation[:] = super()._observe()
        return self._observation


class Healthy(Sick):
    def _observe(self):
        return super()._observe().copy()
