"""A generator with a constant seed in the constructor, for reproducible runs: every worker
lives the same episodes.
"""

from __future__ import annotations

import numpy as np
from plain import Plain

ARGUMENTS = ["--managers", "gymnasium-sync,gymnasium-async", "--start-methods", "fork"]
ALSO = ["DET001"]  # a second reset with the same seed goes on with the next number


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.rng = np.random.default_rng(0)

    def _observe(self):
        return self.rng.uniform(-1.0, 1.0, 3).astype(np.float32)


class Healthy(Sick):
    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        return super().reset(seed=seed, options=options)
