"""A level that cannot be loaded a second time: the native code prints nothing and calls exit(1)."""

import ctypes

import gymnasium
import numpy as np

libc = ctypes.CDLL(None)


class Lab(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    loads = 1

    def __init__(self):
        self.episodes = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.episodes += 1
        if self.episodes > self.loads:
            libc.exit(1)
        self.steps = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.array([self.steps], np.float32), 0.0, False, self.steps == 20, {}


class Cured(Lab):
    loads = 10**9
