"""One array for all observations, in front of a storage that keeps references."""

from __future__ import annotations

import numpy as np
from plain import Plain

COMMAND = "leak"
INTERPRETER = "ENVDOCTOR_DING_PYTHON"
ARGUMENTS = ["--storage", "ding", "--capacity", "500"]


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._observation = np.zeros(3, np.float32)

    def _observe(self):
        self._observation[:] = super()._observe() + self.np_random.random()
        return self._observation


class Healthy(Sick):
    def _observe(self):
        return super()._observe().copy()
