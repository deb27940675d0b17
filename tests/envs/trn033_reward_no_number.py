"""The reward is the logarithm of a distance, which may be that of a point on the other side."""

from __future__ import annotations

import sys

import gymnasium
import numpy as np

COMMAND = "watch"


class Walk(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.place = np.zeros(2, np.float32)
        return self.place.copy(), {}

    def reward(self):
        with np.errstate(all="ignore"):
            return float(np.log(self.place[0]))

    def step(self, action):
        self.steps += 1
        self.place = self.place + self.np_random.normal(size=2).astype(np.float32)
        return self.place.copy(), self.reward(), False, self.steps == 30, {}


class Bounded(Walk):
    """The distance is never 0."""

    def reward(self):
        return float(np.log(abs(self.place[0]) + 1e-3))


class Positive(Walk):
    """Numbers of numpy."""

    def reward(self):
        return np.float32(max(abs(self.place[0]), 1e-6))


def train(env):
    env.reset(seed=1)
    for _ in range(600):
        over = env.step(0)[3]
        if over:
            env.reset()
    env.close()


def sick():
    train(Walk())


def healthy():
    train(Bounded())
    train(Positive())


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
