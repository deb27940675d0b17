"""A day of a patient with diabetes: three meals, whose times are drawn."""

import gymnasium
import numpy as np


class Patient(gymnasium.Env):
    """Draws from a generator that each reset() makes anew."""

    observation_space = gymnasium.spaces.Box(0.0, 1000.0, (1,))
    action_space = gymnasium.spaces.Box(0.0, 1.0, (1,))

    def __init__(self, start_seed=3):
        self.start_seed = start_seed

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.start_seed = self.start_seed if seed is None else seed
        self.generator = np.random.default_rng(self.start_seed)
        return self.begin()

    def begin(self):
        self.meals = self.generator.integers(0, 48, 3)
        self.time = 0
        self.level = float(self.generator.normal(120, 15))
        return self.sense(), {}

    def step(self, action):
        self.time += 1
        meal = 30.0 if self.time in self.meals else 0.0
        self.level += meal - 4 * float(action[0]) + float(self.generator.normal(0, 1))
        return self.sense(), -abs(self.level - 110), False, self.time == 48, {}

    def sense(self):
        return np.array([max(0.0, self.level + self.generator.normal(0, 2))], "float32")


class Cured(Patient):
    """Draws from the generator that Gymnasium seeds."""

    def reset(self, *, seed=None, options=None):
        gymnasium.Env.reset(self, seed=seed)
        self.generator = self.np_random
        return self.begin()
