"""For the tutorial on a library that allows one instance a process."""

import gymnasium as gym
import numpy as np


class Library:
    """Stands for a simulator with global state: it can be opened once a process."""

    opened = False

    @classmethod
    def open(cls):
        if cls.opened:
            raise RuntimeError("the simulator is open already")
        cls.opened = True

    @classmethod
    def shut(cls):
        cls.opened = False


class Arm(gym.Env):
    observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def __init__(self):
        Library.open()
        self._open = True

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(2, np.float32), {}

    def step(self, action):
        return np.zeros(2, np.float32), 0.0, False, False, {}

    def close(self):
        if self._open:
            Library.shut()
        self._open = False
