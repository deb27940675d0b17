"""Stacked frames are lazy, and no arrays: a worker with shared memory does not write them there."""

import gymnasium
import numpy as np
from gymnasium.wrappers import FrameStack


class Counter(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 99, (1,), np.int32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = int(self.np_random.integers(10, 20))
        self.left = 12
        return np.array([self.count], np.int32), {}

    def step(self, action):
        self.count += 1 + int(action)
        self.left -= 1
        return np.array([self.count], np.int32), 1.0, self.left == 0, False, {}


class AsArrays(gymnasium.ObservationWrapper):
    def observation(self, observation):
        return np.array(observation)


def stacked():
    return FrameStack(Counter(), 3)


def cured():
    return AsArrays(stacked())
