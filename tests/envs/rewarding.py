"""Rewards of other kinds than most."""

from __future__ import annotations

import numpy as np
from plain import Plain


class SeveralAims(Plain):
    """One reward for each of three aims, as environments of MO-Gymnasium give them."""

    def step(self, action):
        observation, _, terminated, truncated, info = super().step(action)
        return (
            observation,
            np.array([self._steps, -1.0, 0.5], np.float32),
            terminated,
            truncated,
            info,
        )
