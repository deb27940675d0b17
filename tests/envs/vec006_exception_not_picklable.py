"""Raises an error of two arguments when a joint jams, which has not happened yet; the twin, in
joints.py, says how it is built again.
"""

from __future__ import annotations

from plain import Plain

TARGETS = {"Sick": "vec006_exception_not_picklable.py:Sick", "Healthy": "joints.py:Healthy"}
ARGUMENTS = ["--managers", "direct,gymnasium-async", "--start-methods", "fork"]

LIMIT = 1000  # steps until a joint is worn


class JointError(RuntimeError):
    """Which joint, and how it jammed."""

    def __init__(self, joint, angle):
        super().__init__(f"joint {joint} jams at {angle}")
        self.joint, self.angle = joint, angle


class Sick(Plain):
    def step(self, action):
        if self._steps > LIMIT:
            raise JointError(2, 0.5)
        return super().step(action)
