"""A domain in RDDL: a simulator with noise, and an environment around it."""

import gymnasium
import numpy as np


class RDDLSimulator:
    """A reservoir. The rain of each step is drawn; an episode begins with the same level."""

    def __init__(self):
        self.rng = np.random.default_rng()

    def seed(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.level = 50.0
        return self.level

    def step(self, release):
        rain = self.rng.gamma(2.0, 2.5)
        self.level = float(np.clip(self.level + rain - release, 0.0, 100.0))
        return self.level, -abs(self.level - 50.0)


class RDDLEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Box(0.0, 10.0, (1,), np.float32)
    horizon = 40

    def __init__(self):
        self.sampler = RDDLSimulator()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        obs = self.sampler.reset()
        self.timestep = 0
        if seed is not None:
            self.sampler.seed(seed)
        return np.array([obs], np.float32), {}

    def step(self, action):
        obs, reward = self.sampler.step(float(action[0]))
        self.timestep += 1
        return np.array([obs], np.float32), reward, False, self.timestep == self.horizon, {}
