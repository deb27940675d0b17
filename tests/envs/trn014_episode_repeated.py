"""reset() makes its generator anew of the seed that it once got, also where it gets none."""

from __future__ import annotations

import sys

import gymnasium
import numpy as np
from gymnasium.vector import SyncVectorEnv

COMMAND = "watch"


class Patient(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.seed = None
        self.steps = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.seed = self.seed if seed is None else seed
        self.generator = np.random.default_rng(self.seed)
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        return self.observe(), 0.0, False, self.steps == 10, {}

    def observe(self):
        return self.generator.random(2).astype("float32")


class Drawn(Patient):
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.generator = self.np_random
        return self.observe(), {}


def train(make):
    envs = SyncVectorEnv([make] * 2)
    envs.reset(seed=3)
    for _ in range(220):
        envs.step([0, 0])
    envs.close()


def sick():
    train(Patient)


def healthy():
    train(Drawn)


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
