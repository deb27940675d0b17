"""The environment is made by a local function, which spawned workers cannot be sent."""

import functools

import gymnasium as gym
import numpy as np


class Red(gym.Env):
    observation_space = gym.spaces.Box(0, 255, (4,), np.uint8)
    action_space = gym.spaces.Discrete(8)

    def __init__(self, wrappers=()):
        self.wrappers = wrappers

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 30
        return self._look(), {}

    def step(self, action):
        self.left -= 1
        return self._look(), 0.0, self.left == 0, False, {}

    def _look(self):
        return self.np_random.integers(0, 255, 4).astype(np.uint8)


def make_env_creator(wrappers):
    def env_creator():
        return Red(wrappers)

    return env_creator


creator = make_env_creator(("stream", "exploration"))
cured = functools.partial(Red, ("stream", "exploration"))
