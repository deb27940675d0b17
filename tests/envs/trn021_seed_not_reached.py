"""A seed for numpy's global generator, while the environment draws from its own."""

from __future__ import annotations

import sys

import gymnasium
import numpy as np

COMMAND = "watch"


class Point(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def draw(self):
        return self.np_random.random(2).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.draw(), {}

    def step(self, action):
        self.steps += 1
        return self.draw(), 0.0, self.steps == 5, False, {}


class Seeded(Point):
    """One that its constructor seeds."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def draw(self):
        return self.generator.random(2).astype(np.float32)


class Fixed(Point):
    """One that has a generator of its own, which it does not draw from."""

    def __init__(self):
        self.generator = np.random.default_rng()

    def draw(self):
        return np.full(2, 0.5, np.float32)


class Shared(Point):
    """One that draws from the generator that is seeded."""

    def draw(self):
        return np.random.random(2).astype(np.float32)  # noqa: NPY002


def train(env, seed=None):
    np.random.seed(21)  # noqa: NPY002
    for number in range(20):
        env.reset(seed=None if number else seed)
        over = False
        while not over:
            _, _, over, _, _ = env.step(0)
    env.close()


def sick():
    train(Point())


def healthy():
    train(Seeded(3))
    train(Fixed())
    train(Shared())
    train(Point(), seed=21)


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
