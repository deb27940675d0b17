"""A vectorizer is given a function that wraps the same environment each time."""

from __future__ import annotations

import sys

import gymnasium
import numpy as np
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers import TimeLimit

COMMAND = "watch"
PLACES = 3


class Corridor(gymnasium.Env):
    """All corridors may share a map, which none of them changes."""

    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, walls):
        self.walls = walls

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = int(self.np_random.integers(20, 80))
        return self.look(), {}

    def look(self):
        return np.array([self.place, self.walls[self.place]], np.float32)

    def step(self, action):
        self.place = min(max(self.place + 2 * int(action) - 1, 0), 99)
        return self.look(), -float(self.walls[self.place]), self.place in (0, 99), False, {}


def train(functions):
    venv = SyncVectorEnv(functions)
    venv.action_space.seed(1)
    venv.reset(seed=1)
    for _ in range(200):
        venv.step(venv.action_space.sample())
    venv.close()


def sick():
    corridor = Corridor(np.arange(100) % 7)
    train([lambda: TimeLimit(corridor, 50)] * PLACES)


def healthy():
    walls = np.arange(100) % 7
    train([lambda: TimeLimit(Corridor(walls), 50)] * PLACES)


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
