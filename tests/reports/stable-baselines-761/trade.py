"""The first day of an episode comes from Python's global generator, which no seed reaches."""

import random

import gymnasium as gym
import numpy as np

PRICES = 240.0 + 10.0 * np.sin(np.arange(4000) / 9.0)


class Trade(gym.Env):
    observation_space = gym.spaces.Box(0, 1000, (5,), np.float64)
    action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.day = self._first_day()
        self.last = self.day + 40
        self.money, self.held = 10_000.0, 0.0
        return self._look(), {}

    def _first_day(self):
        return random.randint(5, 3900)

    def step(self, action):
        self.day += 1
        self.held = float(action[0]) * self.money / PRICES[self.day]
        gain = self.held * (PRICES[self.day] - PRICES[self.day - 1])
        self.money += gain
        return self._look(), gain, False, self.day == self.last, {}

    def _look(self):
        return PRICES[self.day - 4 : self.day + 1].copy()


class Cured(Trade):
    def _first_day(self):
        return int(self.np_random.integers(5, 3900))
