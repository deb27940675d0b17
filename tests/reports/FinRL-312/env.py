"""A market whose environment is copied into each worker, as it is."""

import copy

import gymnasium
import numpy as np


class Market(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1000.0, 1000.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self, generator_seed=None):
        self.starts = np.random.default_rng(generator_seed)
        self.prices = 100.0 + np.cumsum(np.sin(np.arange(400) / 5.0))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.starts = np.random.default_rng(seed)
        self.day = int(self.starts.integers(0, 300))
        self.last = self.day + 60
        return self._look(), {}

    def _look(self):
        return np.array([self.day, self.prices[self.day]], np.float32)

    def step(self, action):
        self.day += 1
        gain = float((action - 1) * (self.prices[self.day] - self.prices[self.day - 1]))
        return self._look(), gain, False, self.day == self.last, {}

    def copies(self, count):
        return [lambda: copy.deepcopy(self) for _ in range(count)]
