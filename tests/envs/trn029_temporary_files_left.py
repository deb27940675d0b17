"""Each episode makes a folder for its pictures, which is not deleted."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import gymnasium
import numpy as np

COMMAND = "watch"


class Painting(gymnasium.Env):
    """It draws each step into a file of its folder."""

    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.folder = self.make_folder()
        return np.zeros(1, np.float32), {}

    def make_folder(self):
        return Path(tempfile.mkdtemp(prefix="episode-"))

    def step(self, action):
        self.steps += 1
        (self.folder / f"{self.steps}.txt").write_text(str(action), encoding="ascii")
        return np.zeros(1, np.float32), 0.0, self.steps == 3, False, {}


class Tidy(Painting):
    """Its folder goes with the last reference to it."""

    def make_folder(self):
        self.kept = tempfile.TemporaryDirectory(prefix="episode-")
        return Path(self.kept.name)

    def close(self):
        self.kept.cleanup()


class Keeping(Painting):
    """All of its episodes are in one folder."""

    folder = None

    def make_folder(self):
        return self.folder or super().make_folder()


def train(env):
    for number in range(40):
        env.reset(seed=None if number else 1)
        over = False
        while not over:
            over = env.step(number % 2)[2]
    env.close()


def sick():
    train(Painting())


def healthy():
    train(Tidy())
    train(Keeping())


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
