"""A lambda looks its index up after the loop, so that all instances get the last seed."""

from __future__ import annotations

import functools
import sys

import gymnasium
import numpy as np
from gymnasium.vector import SyncVectorEnv

COMMAND = "watch"


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)
        self.steps = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        return self.observe(), 0.0, False, self.steps == 10, {}

    def observe(self):
        return self.generator.random(2).astype("float32")


def train(factories):
    envs = SyncVectorEnv(factories)
    envs.reset()
    for _ in range(60):
        envs.step([0, 0, 0])
    envs.close()


def sick():
    train([lambda: Arm(index) for index in range(3)])  # noqa: B023


def healthy():
    train([functools.partial(Arm, index) for index in range(3)])


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
