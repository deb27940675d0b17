"""Environments that never come far: what builds them anew does so for ever."""

from __future__ import annotations

from plain import Plain


class InReset(Plain):
    """Every reset fails."""

    def reset(self, *, seed=None, options=None):
        raise OSError("no level left")


class InStep(Plain):
    """The fifth step of every instance fails."""

    taken = 0

    def step(self, action):
        self.taken += 1
        if self.taken >= 5:
            raise ValueError("out of range")
        return super().step(action)
