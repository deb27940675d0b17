"""Environments for docs/replay-memory.md: one that is healthy, and what fills replay memory
with the wrong things.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np


class Camera(gym.Env):
    """Frames of 54 KiB, a new one at every step."""

    observation_space = gym.spaces.Box(0, 255, (144, 128, 3), np.uint8)
    action_space = gym.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._step = 0
        return self._observe(), {}

    def step(self, action):
        self._step += 1
        return self._observe(), 1.0, self._step >= 50, False, {}

    def _observe(self):
        return np.full(self.observation_space.shape, self._step, self.observation_space.dtype)


class Floats(Camera):
    """The same frames as 32-bit floats."""

    observation_space = gym.spaces.Box(0.0, 1.0, (144, 128, 3), np.float32)


class WholeLog(Camera):
    """Every observation holds all that was measured so far."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (1,), np.float32)

    def __init__(self):
        self._log = []

    def _observe(self):
        self._log.append(float(self._step))
        return np.array(self._log, np.float32)


class OneArray(Camera):
    """Writes every observation into the same array."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (3,), np.float32)

    def __init__(self):
        self._array = np.zeros(3, np.float32)

    def _observe(self):
        self._array[:] = self._step
        return self._array


class Differentiable(Camera):
    """Hands out tensors that are still part of their graph."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (8,), np.float32)

    def __init__(self):
        import torch

        self._weights = torch.full((8,), 0.99, requires_grad=True)
        self._state = torch.ones(8)

    def _observe(self):
        self._state = self._weights * self._state
        return self._state
