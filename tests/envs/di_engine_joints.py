"""The healthy twin of di_engine_jams.py: its error can be built of its text.

Needs DI-engine; examined through --python.
"""

from __future__ import annotations

import numpy as np
from di_engine import Healthy as Crane
from ding.envs import BaseEnvTimestep

LIMIT = 1000  # steps until a joint is worn


class JointError(RuntimeError):
    """Which joint, and how it jammed; or what was said of it elsewhere."""

    def __init__(self, joint: int | str, angle: float | None = None) -> None:
        super().__init__(joint if angle is None else f"joint {joint} jams at {angle}")
        self.joint, self.angle = joint, angle


class Healthy(Crane):
    """Has not jammed so far."""

    def step(self, action: np.ndarray) -> BaseEnvTimestep:
        if self._steps > LIMIT:
            raise JointError(2, 0.5)
        return super().step(action)
