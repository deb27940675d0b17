"""A search that makes a vectorizer for each trial, and keeps them all."""

from __future__ import annotations

import sys

import gymnasium
from gymnasium.vector import AsyncVectorEnv

COMMAND = "watch"


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}


def search(envs, number):
    envs.reset(seed=number)
    for _ in range(3):
        envs.step(envs.action_space.sample())


def sick():
    kept = []
    for number in range(6):
        envs = AsyncVectorEnv([Arm])
        search(envs, number)
        kept.append(envs)


def healthy():
    kept = []
    for number in range(6):
        envs = AsyncVectorEnv([Arm])
        search(envs, number)
        envs.close()
        kept.append(envs)


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
