"""Hands its simulator out with every info, for those who want to look inside; the twin hands
out what they look at.
"""

from __future__ import annotations

import threading

from plain import Plain

ARGUMENTS = ["--managers", "direct,gymnasium-sync,gymnasium-async"]


class Simulator:
    """Is stepped by one thread at a time."""

    def __init__(self):
        self._lock = threading.Lock()
        self.contacts = 0

    def advance(self):
        with self._lock:
            self.contacts += 1


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._sim = Simulator()

    def step(self, action):
        self._sim.advance()
        observation, reward, terminated, truncated, info = super().step(action)
        info["sim"] = self._sim
        return observation, reward, terminated, truncated, info


class Healthy(Sick):
    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated, truncated, {"contacts": info["sim"].contacts}
