"""The goal is drawn from numpy's global generator, which no seed of reset() reaches."""

from __future__ import annotations

import numpy as np
from plain import Plain

ARGUMENTS = ["--managers", "direct"]
GIVES_WAY = {"SFX004": "DET001"}


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        observation[0] = np.random.uniform(-1.0, 1.0)  # noqa: NPY002
        return observation, info


class Healthy(Plain):
    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        observation[0] = self.np_random.uniform(-1.0, 1.0)
        return observation, info
