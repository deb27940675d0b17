"""A factory that gives every instance of a vectorizer the same seed."""

from __future__ import annotations

import sys

import gymnasium
from gymnasium.vector import SyncVectorEnv

COMMAND = "watch"


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.steps = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        return self.observe(), 0.0, False, self.steps == 10, {}

    def observe(self):
        return self.np_random.random(2).astype("float32")


def seeded():
    env = Arm()
    env.reset(seed=3)
    return env


def train(envs):
    for _ in range(60):
        envs.step([0, 0, 0])
    envs.close()


def sick():
    envs = SyncVectorEnv([seeded] * 3)
    envs.reset()
    train(envs)


def healthy():
    vectorizer = SyncVectorEnv([Arm] * 3)
    vectorizer.reset(seed=3)
    train(vectorizer)


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
