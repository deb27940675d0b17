"""reset() draws from NumPy's global generator, which each forked worker copies."""

import gymnasium as gym
import numpy as np


class World(gym.Env):
    observation_space = gym.spaces.Box(0, 1, (3,), np.float64)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            np.random.seed(seed)
        self.left = 20
        self.goal = np.random.rand(3)
        return self.goal.copy(), {}

    def step(self, action):
        self.left -= 1
        self.goal = (self.goal + np.random.rand(3) * action) % 1.0
        return self.goal.copy(), 1.0, self.left == 0, False, {}


class Cured(World):
    def reset(self, *, seed=None, options=None):
        gym.Env.reset(self, seed=seed)
        self.left = 20
        self.goal = self.np_random.random(3)
        return self.goal.copy(), {}

    def step(self, action):
        self.left -= 1
        self.goal = (self.goal + self.np_random.random(3) * action) % 1.0
        return self.goal.copy(), 1.0, self.left == 0, False, {}
