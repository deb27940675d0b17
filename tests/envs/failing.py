"""Environments that fail now and then while they are repeated: their growth is followed all the
same.
"""

from __future__ import annotations

from plain import Plain

KEPT = []


class Keeping(Plain):
    """Keeps something of every reset."""

    def reset(self, *, seed=None, options=None):
        KEPT.append(object())
        return super().reset(seed=seed, options=options)


class NeverCloses(Keeping):
    def close(self):
        raise RuntimeError("the simulator does not answer")


class FailsInStep(Keeping):
    """The fifth step of every episode fails."""

    def step(self, action):
        self.taken = getattr(self, "taken", 0) + 1
        if self.taken % 5 == 0:
            raise ValueError("out of range")
        return super().step(action)


class FailsInReset(Keeping):
    """Every third reset fails."""

    resets = 0

    def reset(self, *, seed=None, options=None):
        FailsInReset.resets += 1
        if FailsInReset.resets % 3 == 0:
            raise OSError("no level left")
        return super().reset(seed=seed, options=options)


class FailsToBuild(Keeping):
    built = 0

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        FailsToBuild.built += 1
        if FailsToBuild.built % 2 == 0:
            raise MemoryError("no room")
