"""An environment of DI-engine's whose error, of two arguments, its workers cannot build of its
text; the twin is in di_engine_joints.py.

Needs DI-engine; examined through --python.
"""

from __future__ import annotations

import numpy as np
from di_engine import Healthy
from ding.envs import BaseEnvTimestep

LIMIT = 1000  # steps until a joint is worn


class JointError(RuntimeError):
    """Which joint, and how it jammed."""

    def __init__(self, joint: int, angle: float) -> None:
        super().__init__(f"joint {joint} jams at {angle}")
        self.joint, self.angle = joint, angle


class Sick(Healthy):
    """Has not jammed so far."""

    def step(self, action: np.ndarray) -> BaseEnvTimestep:
        if self._steps > LIMIT:
            raise JointError(2, 0.5)
        return super().step(action)
