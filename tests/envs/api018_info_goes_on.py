"""The info of reset() has the duration of a step of the episode before."""

from __future__ import annotations

import gymnasium
import numpy as np


class Sick(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        self.duration, self.total = 0.0, 0.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.clear()
        self.target, self.steps = self.np_random.random(), 0
        return self.look(), self.info()

    def clear(self):
        pass

    def look(self):
        return np.array([self.target], np.float32)

    def info(self):
        return {"duration": self.duration, "total": self.total}

    def step(self, action):
        self.duration = float(self.np_random.uniform(10.0, 60.0))
        self.total += self.duration
        self.target = self.np_random.random()
        self.steps += 1
        return self.look(), 0.0, False, self.steps == 50, self.info()


class Healthy(Sick):
    """The time of all episodes goes on."""

    def clear(self):
        self.duration = 0.0
