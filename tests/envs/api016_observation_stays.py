"""A simulator keeps all frames of an episode, and step() returns the first one each time."""

from __future__ import annotations

import gymnasium
import numpy as np

ARGUMENTS = ["--managers", "direct"]


class Sick(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (2,))
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.frames = [self.np_random.uniform(-1, 1, 2).astype(np.float32)]
        return self.observe(), {}

    def observe(self):
        return self.frames[0].copy()

    def step(self, action):
        self.frames.append((self.frames[-1] + 0.05 * action).clip(-10, 10))
        distance = float(np.abs(self.frames[-1]).sum())
        return self.observe(), -distance, False, len(self.frames) > 60, {}


class Healthy(Sick):
    def observe(self):
        return self.frames[-1].copy()
