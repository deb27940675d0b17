"""reset() builds its generator anew from the seed that it once got: each episode is the first one (simglucose#10, SofaGym#36)."""

import gymnasium as gym
import numpy as np


class Patient(gym.Env):
    observation_space = gym.spaces.Box(0, 1000, (1,), np.float32)
    action_space = gym.spaces.Box(0, 1, (1,), np.float32)

    def __init__(self, start_seed=3):
        self.start_seed = start_seed

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.start_seed = seed
        self.generator = np.random.default_rng(self.start_seed)
        self.meals = self.generator.integers(0, 48, 3)
        self.time = 0
        self.level = float(self.generator.normal(120, 15))
        return self._sense(), {}

    def step(self, action):
        self.time += 1
        self.level += (
            30.0 * (self.time in self.meals)
            - 4 * float(action[0])
            + float(self.generator.normal(0, 1))
        )
        return self._sense(), -abs(self.level - 110), False, self.time == 48, {}

    def _sense(self):
        return np.array([max(0.0, self.level + self.generator.normal(0, 2))], np.float32)


class Cured(Patient):
    def reset(self, *, seed=None, options=None):
        gym.Env.reset(self, seed=seed)
        self.generator = self.np_random
        self.meals = self.generator.integers(0, 48, 3)
        self.time = 0
        self.level = float(self.generator.normal(120, 15))
        return self._sense(), {}
