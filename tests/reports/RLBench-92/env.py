"""Targets come from numpy's global generator, which each forked worker copies."""

import gymnasium
import numpy as np


class Reach(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (7,), np.float32)

    def _generator(self):
        return np.random

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.target = self._generator().uniform(-1.0, 1.0, 3).astype(np.float32)
        self.left = 30
        return self.target.copy(), {}

    def step(self, action):
        self.left -= 1
        return self.target.copy(), 0.0, False, self.left == 0, {}


class Cured(Reach):
    def _generator(self):
        return self.np_random
