"""A wrapper counts the steps of episodes that a fall or a time limit ends."""

from __future__ import annotations

import sys

import gymnasium
import numpy as np

COMMAND = "watch"
LIMIT = 12


class Walker(gymnasium.Env):
    """It may fall at each step."""

    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps, self.lives = 0, 3
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.steps += 1
        falls = bool(self.np_random.random() < 0.08)
        at = np.array([float(self.steps)], np.float32)
        return at, 1.0, falls, self.steps == LIMIT and not falls, {}


class Counting(gymnasium.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.length = 0

    def is_over(self, terminated, truncated):
        return terminated

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.length += 1
        info["l"] = self.length
        if self.is_over(terminated, truncated):
            self.length = 0
        return observation, reward, terminated, truncated, info


class Sick(Counting):
    pass


class Both(Counting):
    def is_over(self, terminated, truncated):
        return terminated or truncated


class OfAllEpisodes(gymnasium.Wrapper):
    """It counts the steps of the training."""

    def __init__(self, env):
        super().__init__(env)
        self.steps = 0

    def step(self, action):
        *returned, info = self.env.step(action)
        self.steps += 1
        info["steps"] = self.steps
        return *returned, info


class OfLevels(gymnasium.Wrapper):
    """It counts the steps of a level, which goes on from episode to episode."""

    def __init__(self, env):
        super().__init__(env)
        self.steps = 0

    def step(self, action):
        *returned, info = self.env.step(action)
        self.steps += 1
        info["steps_of_level"] = self.steps
        if self.steps == 500:
            self.steps = 0
        return *returned, info


class OfGames(Counting):
    """A game goes on where a life was lost, and is over with its time."""

    def is_over(self, terminated, truncated):
        return truncated


def play(kind):
    env = kind(Walker())
    env.reset(seed=1)
    for _ in range(400):
        _, _, terminated, truncated, _ = env.step(1)
        if terminated or truncated:
            env.reset()
    env.close()


def healthy():
    for kind in (Both, OfAllEpisodes, OfLevels, OfGames):
        play(kind)


if __name__ == "__main__":
    {"Sick": lambda: play(Sick), "Healthy": healthy}[sys.argv[1]]()
