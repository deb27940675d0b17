"""A history that is never emptied."""

from __future__ import annotations

import sys
import time

import gymnasium

COMMAND = "watch"
SECONDS = 4  # some forty readings, and two looks


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, grows):
        self.grows = grows
        self.history = []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.history = self.history if self.grows else []
        self.history.append([float(number) for number in range(20)])
        return 0, {}

    def step(self, action):
        time.sleep(0.0005)
        return 0, 0.0, False, False, {}


def train(grows):
    env = Arm(grows)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        env.reset()
        for _ in range(4):
            env.step(0)
    env.close()


def sick():
    train(grows=True)


def healthy():
    train(grows=False)


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
