"""seed() seeds the global generators, which all environments of a process share."""

import random

import gymnasium as gym
import numpy as np


class Market(gym.Env):
    observation_space = gym.spaces.Box(-1000, 1000, (2,), np.float64)
    action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            random.seed(seed)
            np.random.seed(seed)
        self.day = 0
        self.price = 100.0 + random.random()
        return self._look(), {}

    def step(self, action):
        self.day += 1
        change = np.random.normal()
        self.price += change
        return self._look(), float((action - 1) * change), self.day == 30, False, {}

    def _look(self):
        return np.array([self.price, self.day])


class Cured(Market):
    def reset(self, *, seed=None, options=None):
        gym.Env.reset(self, seed=seed)
        self.day = 0
        self.price = 100.0 + self.np_random.random()
        return self._look(), {}

    def step(self, action):
        self.day += 1
        change = self.np_random.normal()
        self.price += change
        return self._look(), float((action - 1) * change), self.day == 30, False, {}
