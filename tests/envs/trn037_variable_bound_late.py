"""Factories of a loop that look up its variable when the vectorizer calls them."""

from __future__ import annotations

import sys

import gymnasium
from gymnasium.vector import SyncVectorEnv

COMMAND = "watch"


class Corridor(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, length):
        self.length, self.steps = length, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        return self.observe(), 1.0, False, self.steps == self.length, {}

    def observe(self):
        return self.np_random.random(2).astype("float32")


def train(envs):
    envs.reset(seed=3)
    for _ in range(60):
        envs.step([0] * envs.num_envs)
    envs.close()


def sick():
    train(SyncVectorEnv([lambda: Corridor(length) for length in (5, 10, 20)]))  # noqa: B023


def healthy():
    train(SyncVectorEnv([lambda length=length: Corridor(length) for length in (5, 10, 20)]))
    train(SyncVectorEnv([lambda: Corridor(20) for _ in range(3)]))  # equal on purpose


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
