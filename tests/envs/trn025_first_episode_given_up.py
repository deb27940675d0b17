"""A script looks at its environments before it plays them, and their levels come in one order."""

from __future__ import annotations

import sys

import gymnasium
import numpy as np

COMMAND = "watch"


class Levels(gymnasium.Env):
    """A level for each episode."""

    observation_space = gymnasium.spaces.Box(0.0, 1000.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)
    length = 20

    def __init__(self):
        self.level = -1

    def begin(self):
        self.level += 1

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.begin()
        self.steps = 0
        return np.array([self.level, 0], np.float32), {}

    def step(self, action):
        self.steps += 1
        over = self.steps == self.length
        return np.array([self.level, self.steps], np.float32), 1.0, over, False, {}


class Drawn(Levels):
    def begin(self):
        self.level = int(self.np_random.integers(900))


class OneLevel(Levels):
    def begin(self):
        self.level = 7


class Short(Levels):
    length = 1


def play(kind, look=True, number=2, seeds=False):
    envs = [kind() for _ in range(number)]
    for env in envs:
        if look:
            env.reset()
            env.step(0)
        for episode in range(20):
            env.reset(seed=episode if seeds else None)
            over = False
            while not over:
                over = env.step(0)[2]
        env.close()


def sick():
    play(Levels)


def healthy():
    play(Levels, look=False)
    play(Levels, number=1)
    play(Levels, seeds=True)
    play(Drawn)
    play(OneLevel)
    play(Short)


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
