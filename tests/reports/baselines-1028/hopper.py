"""A leg that hops: what it is rewarded for is an argument."""

import gymnasium
import numpy as np


class Hopper(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def __init__(self, reward_fn):
        self.reward_fn = reward_fn

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height, self.speed, self.steps = self.np_random.uniform(1.0, 2.0), 0.0, 0
        return self.look(), {}

    def look(self):
        return np.array([self.height, self.speed], np.float32)

    def step(self, action):
        self.speed += float(action[0]) * 0.3 - 0.1
        self.height = max(self.height + self.speed, 0.0)
        self.steps += 1
        reward = self.reward_fn(self.height, self.speed)
        return self.look(), reward, self.height == 0.0, self.steps == 100, {}
