"""The rooms are a set of names: its order is another one in every process, and decides where
the goal is.
"""

from __future__ import annotations

import numpy as np
from plain import Plain

ROOMS = {"hall", "kitchen", "cellar", "attic", "garden", "bath"}
PLACES = {"hall": 0.0, "kitchen": 0.1, "cellar": 0.2, "attic": 0.3, "garden": 0.4, "bath": 0.5}


class Sick(Plain):
    def rooms(self):
        return list(ROOMS)

    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        observation[:3] = np.array([PLACES[room] for room in self.rooms()[:3]], np.float32)
        return observation, info


class Healthy(Sick):
    def rooms(self):
        return sorted(ROOMS)
