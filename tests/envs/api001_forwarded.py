"""reset() returns the observation alone, as it did before Gymnasium."""

from __future__ import annotations

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        observation, _ = super().reset(seed=seed, options=options)
        return observation


class Healthy(Plain):
    pass
