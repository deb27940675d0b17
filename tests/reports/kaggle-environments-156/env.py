"""A default value of a parameter is one list for all instances that are made without it."""

import gymnasium
import numpy as np


class Environment(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1000.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self, steps):
        self.steps = steps

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps.clear()
        self.steps.append(float(self.np_random.integers(0, 100)))
        return self.look(), {}

    def look(self):
        return np.array([len(self.steps), self.steps[-1]], np.float32)

    def step(self, action):
        self.steps.append(self.steps[-1] + float(action))
        return self.look(), 0.0, False, len(self.steps) > 30, {}


def make(steps=[]):  # noqa: B006 - the trouble
    return Environment(steps)


def make_cured(steps=None):
    return Environment([] if steps is None else steps)
