"""A crane with a log, of which a list of the class keeps every instance; and one that lets go."""

import os

import gymnasium as gym
import numpy as np


class Kept(gym.Env):
    fleet = []

    def __init__(self):
        self.observation_space = gym.spaces.Box(0.0, 1.0, (2,), np.float32)
        self.action_space = gym.spaces.Discrete(2)
        self.fleet.append(self)
        self._log = open(os.devnull, "w")  # noqa: SIM115
        self._steps = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._steps = 0
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self._steps += 1
        return np.zeros(2, np.float32), 0.0, self._steps >= 10, False, {}


class LetGo(Kept):
    def close(self):
        self.fleet.remove(self)
        super().close()
