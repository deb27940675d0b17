"""What one experiment shows by chance: a generator without a seed that has few values, one that each
reset() makes anew, and a simulator that rounds otherwise after an episode.
"""

from __future__ import annotations

import random

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from plain import Plain

GENERATOR = random.Random(16)  # so that the plain lives agree


class OneOfFew(Plain):
    """Begins on the left or on the right, as a generator of the module decides."""

    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        observation[0] = 1.0 if GENERATOR.random() < 0.3 else -1.0
        return observation, info


class Track:
    """What is below the environment: its generator is not one of its attributes."""

    def __init__(self):
        self.generator = None


class Anew(Plain):
    """Makes its generator anew in each reset(), with chance where no seed is given."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.track = Track()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed, options=options)
        self.track.generator, _ = seeding.np_random(seed)
        return self._observe(), {}

    def _observe(self):
        if self.track.generator is None:
            return np.zeros(3, np.float32)
        return self.track.generator.uniform(-1.0, 1.0, 3).astype(np.float32)

    def step(self, action):
        observation, reward, _, _, info = super().step(action)
        return observation, reward, self._steps >= 50, False, info


gymnasium.register("ZooAnew-v0", Anew)  # Gymnasium's checker looks at that of ids alone


class Rounds(Plain):
    """Begins each episode alike, but for what is left of the one before in the last digits."""

    left = 0.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed, options=options)
        return self._observe(), {}

    def step(self, action):
        self.left += 3e-9
        return super().step(action)

    def _observe(self):
        return np.array([0.25 + self.left, 0.5, self._steps / 20], np.float64).astype(np.float32)
