"""An electric motor whose currents are controlled."""

import gymnasium
import numpy as np


class ElectricMotorEnvironment(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (4,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def __init__(self, limit=5.0):
        self.limits = np.array([limit, limit])
        self.tau = 1e-2

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.currents = self.np_random.uniform(-1.0, 1.0, 2)
        self.reference = self.np_random.uniform(-2.0, 2.0, 2)
        self.steps = 0
        return self.look(), {}

    def look(self):
        return np.concatenate([self.currents, self.reference]).astype(np.float32)

    def step(self, action):
        self.currents = 0.9 * self.currents + np.asarray(action) * self.limits * 0.1
        error = float(np.abs(self.currents - self.reference).sum())
        self.steps += 1
        beyond = bool((np.abs(self.currents) > self.limits).any())
        return self.look(), -error, beyond, self.steps == 200, {}


gymnasium.register("Cont-CC-PMSM-v0", entry_point=ElectricMotorEnvironment)
