"""Four frames of a camera in every observation, as floats, each of which is stored eight times."""

from __future__ import annotations

import gymnasium as gym
import numpy as np

COMMAND = "leak"
INTERPRETER = "ENVDOCTOR_SB3_PYTHON"
ARGUMENTS = ["--storage", "sb3", "--capacity", "2000000", "--time-budget", "10"]

FRAMES, HEIGHT, WIDTH = 4, 210, 160


class Sick(gym.Env):
    observation_space = gym.spaces.Box(0.0, 1.0, (FRAMES, HEIGHT, WIDTH), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._step = 0
        return self._observe(), {}

    def step(self, action):
        self._step += 1
        return self._observe(), 1.0, self._step >= 20, False, {}

    def _observe(self):
        space = self.observation_space
        return np.full(space.shape, self._step % 2, space.dtype)


class Healthy(Sick):
    """One small frame in bytes; a stack is made of several when they are sampled."""

    observation_space = gym.spaces.Box(0, 255, (12, 16), np.uint8)
