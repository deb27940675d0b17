"""An agent on a board of cells that live and die."""

import gymnasium
import numpy as np
from file_finder import SafeLifeLevelIterator, safelife_loader


class SafeLifeEnv(gymnasium.Env):
    action_space = gymnasium.spaces.Discrete(5)

    def __init__(self, level_iterator, size=5):
        self.level_iterator = level_iterator
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (size, size), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.board = next(self.level_iterator)
        self.place, self.steps = 0, 0
        return self.board.copy(), {}

    def step(self, action):
        self.place = (self.place + int(action)) % self.board.size
        cell = self.board.flat[self.place]
        self.board.flat[self.place] = 0.0
        self.steps += 1
        return self.board.copy(), float(cell), not self.board.any(), self.steps == 50, {}


def register():
    """The canonical environments."""
    gymnasium.register(
        id="safelife-append-still-v1",
        entry_point=SafeLifeEnv,
        kwargs={"level_iterator": safelife_loader(5, seed=0)},
    )
    gymnasium.register(
        id="safelife-append-still-v2",
        entry_point=SafeLifeEnv,
        kwargs={"level_iterator": SafeLifeLevelIterator(5, seed=0)},
    )
