"""A walker whose floor is of another friction in each episode."""

import gymnasium
import numpy as np


class Raptor(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-1, 1, (1,), np.float32)

    def observe(self):
        return np.array([self.height, self.speed, self.friction], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height = self.np_random.uniform(0.4, 0.6)
        self.friction = np.random.uniform(0.5, 1.5)
        self.speed, self.steps = 0.0, 0
        return self.observe(), {}

    def step(self, action):
        self.speed += 0.1 * float(action[0]) - 0.05 * self.friction * self.speed
        self.steps += 1
        return self.observe(), self.speed, False, self.steps == 60, {}
