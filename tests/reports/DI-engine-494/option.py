"""The first reset() reads years of prices, which takes longer than a call is waited for."""

import functools
import time

import gymnasium
import numpy as np

SECONDS = 3.0


@functools.cache
def read_prices():
    end = time.thread_time() + SECONDS
    while time.thread_time() < end:
        sum(int(part) for part in ["17", "18", "19", "20", "21"])
    return np.linspace(50.0, 60.0, 1000)


class Option(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)
    read = staticmethod(read_prices)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.prices = self.read()
        self.day, self.left = int(self.np_random.integers(0, 900)), 20
        return self._price(), {}

    def step(self, action):
        self.day, self.left = self.day + 1, self.left - 1
        return self._price(), 0.0, False, self.left == 0, {}

    def _price(self):
        return self.prices[self.day : self.day + 1].astype(np.float32)


def read_for_ever():
    while True:
        time.thread_time()


class Endless(Option):
    read = staticmethod(read_for_ever)
