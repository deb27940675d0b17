"""A level that the script sets on the outermost wrapper, while the environment keeps its own."""

from __future__ import annotations

import sys

import gymnasium

COMMAND = "watch"


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 9.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.level = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.observation_space.sample() * 0 + self.level, {}

    def step(self, action):
        self.steps += 1
        return self.observation_space.sample(), 0.0, self.steps == 5, False, {}


class Height(gymnasium.Wrapper):
    """One whose height is its own."""

    def reset(self, **others):
        view, info = self.env.reset(**others)
        return view, {**info, "height": self.height}


def train(env, setting):
    for level in range(4):
        setting(env, level)
        for _ in range(5):
            env.reset()
            over = False
            while not over:
                _, _, over, _, _ = env.step(0)
    env.close()


def on_wrapper(env, level):
    env.level = level


def on_arm(env, level):
    env.unwrapped.level = level


def of_wrapper(env, level):
    env.height = level


def sick():
    train(gymnasium.wrappers.TimeLimit(Arm(), 100), on_wrapper)


def healthy():
    train(gymnasium.wrappers.TimeLimit(Arm(), 100), on_arm)
    train(Height(Arm()), of_wrapper)


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
