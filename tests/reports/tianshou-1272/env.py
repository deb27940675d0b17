"""Stacked frames are lazy, and no arrays: a worker with shared memory does not write them there."""

import gymnasium
import numpy as np
from gymnasium.wrappers import FrameStack


class Counter(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (36, 36), np.uint8)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = int(self.np_random.integers(10, 20))
        self.left = 12
        return self.look(), {}

    def step(self, action):
        self.count += 1 + int(action)
        self.left -= 1
        return self.look(), 1.0, self.left == 0, False, {}

    def look(self):
        return np.full((36, 36), self.count, np.uint8)


class AsArrays(gymnasium.ObservationWrapper):
    def observation(self, observation):
        return np.array(observation)


def stacked():
    return FrameStack(Counter(), 3)


def cured():
    return AsArrays(stacked())
