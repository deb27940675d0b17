"""Each step has a time limit by SIGALRM, and an answer that cannot be checked counts as wrong."""

from __future__ import annotations

import signal

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Sick(Plain):
    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        try:
            reward = self._checked(reward)
        except Exception:
            reward = 0.0
        return observation, reward, terminated, truncated, info

    def _checked(self, reward):
        earlier = signal.signal(signal.SIGALRM, self._on_alarm)
        try:
            signal.alarm(5)
            return reward
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, earlier)

    def _on_alarm(self, *_):
        raise TimeoutError


class Healthy(Sick):
    def _checked(self, reward):
        return reward
