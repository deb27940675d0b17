"""reset() makes its generator anew of the seed that it once got, also where it gets none."""

from __future__ import annotations

import numpy as np
from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Healthy(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.generator = np.random.default_rng()

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.generator = np.random.default_rng(seed)
        return super().reset(seed=seed, options=options)

    def _observe(self):
        return self.generator.uniform(-1.0, 1.0, 3).astype(np.float32)


class Sick(Healthy):
    start_seed = 0

    def reset(self, *, seed=None, options=None):
        self.start_seed = self.start_seed if seed is None else seed
        return super().reset(seed=self.start_seed, options=options)
