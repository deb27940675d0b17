"""reset() takes a seed for the sake of its signature; what places the goal is seeded by seed()."""

import gymnasium
import numpy as np


class Base(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (4,), np.float32)

    def __init__(self):
        self.goals = np.random.default_rng()

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.goal = self.goals.uniform(-1.0, 1.0, 3).astype(np.float32)
        self.left = 30
        return self.goal.copy(), {}

    def step(self, action):
        self.left -= 1
        return self.goal.copy(), 0.0, False, self.left == 0, {}


class Sawyer(Base):
    def seed(self, seed):
        self.goals = np.random.default_rng(seed)
        return [seed]


class Cured(Base):
    def reset(self, seed=None, options=None):
        if seed is not None:
            self.goals = np.random.default_rng(seed)
        return super().reset(seed=seed)
