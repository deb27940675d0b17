"""A trainer that gives each reset() its seed, so that it trains on one episode."""

from __future__ import annotations

import sys

import gymnasium

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


def sick():
    env = Arm()
    for _ in range(30):
        env.reset(seed=3)
        for _ in range(10):
            env.step(0)
    env.close()


def healthy():
    env = Arm()
    env.reset(seed=3)
    for _ in range(30):
        for _ in range(10):
            env.step(0)
        env.reset()
    env.close()


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
