"""A simulator that can be initialized once a process: after clean() its pointers are null."""

import ctypes

import gymnasium
import numpy as np


class Simulator:
    is_clean = False

    @classmethod
    def set_scene(cls):
        if cls.is_clean:
            ctypes.string_at(0)

    @classmethod
    def clean(cls):
        cls.is_clean = True


class Water(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        Simulator.set_scene()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.array([self.steps], np.float32), 0.0, False, self.steps == 25, {}

    def close(self):
        Simulator.clean()


class Cured(Water):
    def close(self):
        """Leave the simulator to the process: it is initialized once."""
