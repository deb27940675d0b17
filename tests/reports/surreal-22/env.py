"""A graphics context of the process, opened by the first instance; a forked child cannot use it."""

import ctypes
import os

import gymnasium
import numpy as np


class Graphics:
    context = None

    @classmethod
    def open(cls):
        if cls.context is None:
            cls.context = os.getpid()
        elif cls.context != os.getpid():
            ctypes.string_at(0)


class PerProcess(Graphics):
    @classmethod
    def open(cls):
        if cls.context != os.getpid():
            cls.context = os.getpid()


class Robot(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(5)
    graphics_class = Graphics

    def __init__(self):
        self.graphics_class.open()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.array([self.steps], np.float32), 0.0, False, self.steps == 50, {}


class Cured(Robot):
    graphics_class = PerProcess
