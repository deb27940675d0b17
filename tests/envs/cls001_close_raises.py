"""close() writes down the rewards, and forgets that they are numpy's numbers."""

from __future__ import annotations

import json

import numpy as np
from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._rewards = []
        self._summary = ""

    def reset(self, *, seed=None, options=None):
        self._rewards = []
        return super().reset(seed=seed, options=options)

    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        self._rewards.append(np.float32(reward))
        return observation, reward, terminated, truncated, info

    def close(self):
        self._summary = json.dumps(self._rewards)


class Healthy(Sick):
    def close(self):
        self._summary = json.dumps([float(reward) for reward in self._rewards])
