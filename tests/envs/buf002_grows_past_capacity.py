"""Every observation holds all that was ever seen, and is longer than the one before."""

from __future__ import annotations

import numpy as np
from plain import Plain

COMMAND = "leak"
INTERPRETER = "ENVDOCTOR_TORCHRL_PYTHON"
ARGUMENTS = ["--storage", "torchrl-list", "--capacity", "200"]

WINDOW = 16


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._seen = [0.0] * WINDOW

    def _observe(self):
        self._seen.append(float(super()._observe()[0]))
        return np.array(self._seen, np.float32)


class Healthy(Sick):
    def _observe(self):
        del self._seen[:-WINDOW]
        return super()._observe()[-WINDOW:].copy()
