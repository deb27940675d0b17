"""A maze whose goal is drawn when it is made, and whose start is drawn by each reset()."""

import gymnasium
import numpy as np

MOVES = np.array([(0.1, 0), (-0.1, 0), (0, 0.1), (0, -0.1)], np.float32)


class Maze(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-2, 2, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self):
        self.goal = np.random.uniform(-1, 1, 2).astype(np.float32)

    def observe(self):
        return np.concatenate([self.goal, self.place]).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 2).astype(np.float32)
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.place = np.clip(self.place + MOVES[action], -2, 2)
        self.steps += 1
        distance = float(np.abs(self.goal - self.place).sum())
        return self.observe(), -distance, distance < 0.1, self.steps == 100, {}
