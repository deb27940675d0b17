"""The wind that blows in step() is random.gauss(), so no two runs with one seed are alike."""

from __future__ import annotations

import random

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
GIVES_WAY = {"SFX004": "DET002"}


class Sick(Plain):
    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, reward + random.gauss(0.0, 0.1), *rest


class Healthy(Plain):
    def step(self, action):
        observation, reward, *rest = super().step(action)
        return observation, reward + self.np_random.normal(0.0, 0.1), *rest
