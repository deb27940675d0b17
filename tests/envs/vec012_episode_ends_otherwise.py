"""The steps of an episode are counted on the class: two instances end each other's episodes."""

from __future__ import annotations

from plain import Plain

ARGUMENTS = ["--managers", "gymnasium-sync,gymnasium-async", "--start-methods", "fork"]

HORIZON = 120


class Sick(Plain):
    steps = 0

    def reset(self, *, seed=None, options=None):
        Sick.steps = 0
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self._count()
        observation, reward, _, _, info = super().step(action)
        return observation, reward, False, self.steps >= HORIZON, info

    def _count(self):
        Sick.steps += 1


class Healthy(Sick):
    def reset(self, *, seed=None, options=None):
        self.steps = 0
        return Plain.reset(self, seed=seed, options=options)

    def _count(self):
        self.steps += 1
