"""Seed 0 has no effect: `if seed:` where `if seed is not None:` was meant."""

import random

import gymnasium
import numpy as np


class World(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.random = random.Random()

    def _look(self):
        return np.array([self.random.random() for _ in range(3)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed:
            self.random.seed(seed)
        self.left = 30
        return self._look(), {}

    def step(self, action):
        self.left -= 1
        return self._look(), 0.0, self.left == 0, False, {}
