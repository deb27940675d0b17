"""The first reset() reads years of prices, which takes most of a minute; later ones are fast (DI-engine#494)."""

import time

import gymnasium as gym
import numpy as np


def read_prices(seconds):
    end, rows = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        rows += sum(int(n) for n in ["17", "18", "19", "20", "21"])
    return np.linspace(50, 60, 1000)


class Option(gym.Env):
    observation_space = gym.spaces.Box(0, 100, (1,), np.float32)
    action_space = gym.spaces.Discrete(3)
    prices = None
    seconds = 36.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.prices is None:
            self.prices = read_prices(self.seconds)
        self.day = int(self.np_random.integers(0, 900))
        self.left = 20
        return self.prices[self.day : self.day + 1].astype(np.float32), {}

    def step(self, action):
        self.day += 1
        self.left -= 1
        return (
            self.prices[self.day : self.day + 1].astype(np.float32),
            0.0,
            False,
            self.left == 0,
            {},
        )


class Cured(Option):
    seconds = 0.1
