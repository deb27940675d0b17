"""A simulator that can be differentiated, and hands out states that are still part of its graph."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import torch

COMMAND = "leak"
INTERPRETER = "ENVDOCTOR_TORCHRL_PYTHON"
ARGUMENTS = ["--storage", "torchrl-list", "--capacity", "300"]


class Sick(gym.Env):
    observation_space = gym.spaces.Box(-np.inf, np.inf, (8,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, render_mode=None):
        self._weights = torch.full((8,), 0.99, requires_grad=True)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._step, self._state = 0, torch.ones(8)
        return self._state, {}

    def step(self, action):
        self._step += 1
        self._state = self._weights * self._state + 0.01
        return self._observe(), 1.0, self._step >= 20, False, {}

    def _observe(self):
        return self._state


class Healthy(Sick):
    def _observe(self):
        return self._state.detach()
