"""Four workers whose constructor gets a seed: a lambda looks it up after the loop."""

import functools
import sys

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv


class Walk(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1000.0, 1000.0, (3,))
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self, seed=0):
        self.generator = np.random.default_rng(seed)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.generator = np.random.default_rng(seed)
        self.place = self.generator.normal(size=3).astype("float32")
        self.left = 25
        return self.place, {}

    def step(self, action):
        self.place = self.place + self.generator.normal(size=3).astype("float32")
        self.left -= 1
        return self.place, float(self.place[0]), self.left == 0, False, {}


def train(factories):
    envs = AsyncVectorEnv(factories, context="fork")
    envs.reset()
    for _ in range(200):
        envs.step([0, 0, 0, 0])
    envs.close()


if __name__ == "__main__":
    if sys.argv[1] == "sick":
        train([lambda: Walk(100 + index) for index in range(4)])
    else:
        train([functools.partial(Walk, 100 + index) for index in range(4)])
