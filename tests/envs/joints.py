"""The healthy twin of vec006_exception_not_picklable: its error travels. In a file of its own,
because errors are their package's.
"""

from __future__ import annotations

from plain import Plain

LIMIT = 1000  # steps until a joint is worn


class JointError(RuntimeError):
    """Which joint, and how it jammed."""

    def __init__(self, joint, angle=None):
        super().__init__(f"joint {joint} jams at {angle}")
        self.joint, self.angle = joint, angle

    def __reduce__(self):
        return type(self), (self.joint, self.angle)


class Healthy(Plain):
    def step(self, action):
        if self._steps > LIMIT:
            raise JointError(2, 0.5)
        return super().step(action)
