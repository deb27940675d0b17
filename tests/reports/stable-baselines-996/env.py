"""reset() starts at any row; at the first ones, its window of rows before is shorter."""

import gymnasium
import numpy as np

ROWS, COLUMNS, WINDOW = 120, 3, 5


class Stocks(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (WINDOW * COLUMNS,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)
    first = 0

    def __init__(self):
        self.data = np.random.default_rng(1).normal(size=(ROWS, COLUMNS)).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.row = int(self.np_random.integers(self.first, ROWS - 30))
        self.left = 20
        return self.look(), {}

    def look(self):
        return self.data[max(0, self.row - WINDOW + 1) : self.row + 1].reshape(-1)

    def step(self, action):
        self.row += 1
        self.left -= 1
        return self.look(), 0.0, False, self.left == 0, {}


class Cured(Stocks):
    first = WINDOW - 1

    def look(self):
        return super().look().copy()
