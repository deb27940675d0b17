"""Two copies of the environment to plan ahead with, where saving and restoring a state would do."""

from __future__ import annotations

from plain import Plain


class Sick(Plain):
    def __init__(self, render_mode=None, planning=False):
        super().__init__(render_mode)
        self._copies = [] if planning else [type(self)(planning=True) for _ in range(2)]

    def step(self, action):
        for copy in self._copies:
            copy._steps = self._steps
        return super().step(action)


class Healthy(Plain):
    def step(self, action):
        before = self._steps
        for _ in range(2):
            self._steps += 1  # look ahead
        self._steps = before
        return super().step(action)
