"""A stirred reactor with noise and uncertain parameters, drawn from NumPy's global generator."""

import gymnasium
import numpy as np


class Reactor(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 500.0, (2,), np.float64)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float64)
    noise, uncertainty = 0.01, 0.1

    def reset(self, seed=0, options=None):
        self.time = 0
        self.state = np.array([0.8, 330.0])
        self.rate = self.apply_uncertainties(0.05)
        return self.measure(), {}

    def apply_uncertainties(self, value):
        return value * np.random.uniform(1 - self.uncertainty, 1 + self.uncertainty)

    def measure(self):
        return self.state * (1 + np.random.normal(0.0, self.noise, 2)).clip(0.9, 1.1)

    def step(self, action):
        self.time += 1
        concentration, temperature = self.state
        used = self.rate * concentration
        self.state = np.array(
            [concentration - used + 0.04, temperature + 20 * used + action[0] - 0.8]
        )
        self.state[1] = np.clip(self.state[1], 280.0, 400.0)
        return self.measure(), -abs(self.state[0] - 0.85), False, self.time == 120, {}


class Cured(Reactor):
    def reset(self, *, seed=None, options=None):
        gymnasium.Env.reset(self, seed=seed)
        return super().reset()

    def apply_uncertainties(self, value):
        return value * self.np_random.uniform(1 - self.uncertainty, 1 + self.uncertainty)

    def measure(self):
        return self.state * (1 + self.np_random.normal(0.0, self.noise, 2)).clip(0.9, 1.1)
