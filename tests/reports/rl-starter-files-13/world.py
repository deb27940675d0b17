"""A world in three dimensions, drawn by OpenGL through ctypes."""

import ctypes

import gymnasium
import numpy as np


class MiniWorld(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (4,), np.uint8)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        self.pixels = np.zeros(4, np.uint8)
        self.context = self.pixels.ctypes.data_as(ctypes.POINTER(ctypes.c_ubyte))

    def draw(self):
        return np.array(self.context[0:4], np.uint8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.context[0], self.steps = int(self.np_random.integers(256)), 0
        return self.draw(), {}

    def step(self, action):
        self.context[1 + int(action)] += 1
        self.steps += 1
        return self.draw(), 0.0, False, self.steps == 40, {}
