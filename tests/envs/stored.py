"""Environments in front of replay storages: healthy ones that look sick, and sick ones whose
reason has to be named.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from plain import Plain


class Camera(gym.Env):
    """Frames of 54 KiB, each a new array."""

    observation_space = gym.spaces.Box(0, 255, (144, 128, 3), np.uint8)
    action_space = gym.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._step = 0
        return self._frame(), {}

    def step(self, action):
        self._step += 1
        return self._frame(), 1.0, self._step >= 50, False, {}

    def _frame(self):
        return np.full(self.observation_space.shape, self._step, np.uint8)


class Goal(Plain):
    """Observations of several parts, one of them a number; actions of 64 bits."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        state = gym.spaces.Box(-1.0, 1.0, (5,), np.float64)
        self.observation_space = gym.spaces.Dict({"state": state, "task": gym.spaces.Discrete(3)})
        self.action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float64)

    def _observe(self):
        return {"state": self.np_random.uniform(-1.0, 1.0, 5), "task": np.int64(self._steps % 3)}


class Constant(Plain):
    """One and the same array, which never changes."""

    _nothing = np.zeros(3, np.float32)

    def _observe(self):
        return self._nothing


class Uneven(Plain):
    """Observations whose size depends on the step of the episode, and episodes of all lengths."""

    def step(self, action):
        self._steps += 1
        return self._observe(), 1.0, self.np_random.random() < 0.1, False, {}

    def _observe(self):
        return np.zeros(16 + 8 * self._steps, np.float32)


class Remembering(Plain):
    """Keeps every observation that it ever returned, as long as it lives: no cycle of make and
    close shows it.
    """

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._returned = []

    def _observe(self):
        self._returned.append(super()._observe())
        return self._returned[-1]


class Counting(Plain):
    """Keeps a number of every episode, at most a hundred."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._lengths = []

    def reset(self, *, seed=None, options=None):
        self._lengths = [*self._lengths[-99:], float(self._steps) + 1000.5]
        return super().reset(seed=seed)


class Words(Plain):
    """Observations that no tensor can hold."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.observation_space = gym.spaces.Text(10)

    def _observe(self):
        return "abc"
