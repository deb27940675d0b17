"""The spaces are made of a description, anew at each access."""

import functools

import gymnasium
import numpy as np

DESCRIPTION = {"observation": (-100.0, 100.0, (6,)), "action": (-0.4, 0.4, (4,))}


def to_space(name):
    low, high, shape = DESCRIPTION[name]
    return gymnasium.spaces.Box(low, high, shape, np.float32)


class Humanoid(gymnasium.Env):
    @property
    def observation_space(self):
        return to_space("observation")

    @property
    def action_space(self):
        return to_space("action")

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.pose = self.np_random.uniform(-1.0, 1.0, 6).astype(np.float32)
        return self.pose.copy(), {}

    def step(self, action):
        self.steps += 1
        self.pose[:4] += action
        return self.pose.copy(), 1.0, False, self.steps == 50, {}


class Cured(Humanoid):
    @functools.cached_property
    def observation_space(self):
        return to_space("observation")

    @functools.cached_property
    def action_space(self):
        return to_space("action")
