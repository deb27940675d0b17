"""The reward is the logarithm of a distance, which may be that of a point on the other side."""

from __future__ import annotations

import gymnasium
import numpy as np

ARGUMENTS = ["--managers", "direct"]


class Sick(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,))
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.place = self.np_random.uniform(-1, 1, 2).astype(np.float32)
        return self.place.copy(), {}

    def reward(self):
        with np.errstate(all="ignore"):
            return float(np.log(self.place[0]))

    def step(self, action):
        self.steps += 1
        self.place = self.place + self.np_random.normal(size=2).astype(np.float32)
        return self.place.copy(), self.reward(), False, self.steps > 60, {}


class Healthy(Sick):
    def reward(self):
        return float(np.log(abs(self.place[0]) + 1e-6))
