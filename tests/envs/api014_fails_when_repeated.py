"""The log of an arm has room for ninety episodes."""

from __future__ import annotations

from plain import Plain

ARGUMENTS = ["--managers", "direct"]

ROOM = 90


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._episode = -1
        self._returns = [0.0] * ROOM

    def reset(self, *, seed=None, options=None):
        self._episode += 1
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self._returns[self._episode] += 1.0
        return super().step(action)


class Healthy(Sick):
    def step(self, action):
        self._returns[self._episode % ROOM] += 1.0
        return Plain.step(self, action)
