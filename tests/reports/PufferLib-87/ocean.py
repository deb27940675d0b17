"""A small world with a large map."""

import gymnasium
import numpy as np


class Ocean(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 255.0, (9,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    moves = ((1, 0), (-1, 0), (0, 1), (0, -1))

    def __init__(self, size=256):
        self.map = np.random.default_rng(0).integers(0, 256, (size, size)).astype(np.float32)

    def look(self):
        row, column = self.place
        return self.map[row : row + 3, column : column + 3].ravel()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.integers(0, len(self.map) - 3, 2)
        self.steps = 0
        return self.look(), {}

    def step(self, action):
        self.steps += 1
        self.place = np.clip(self.place + self.moves[action], 0, len(self.map) - 3)
        observation = self.look()
        return observation, float(observation.mean()), False, self.steps == 100, {}

    def close(self):
        self.map = None
