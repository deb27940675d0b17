"""Places come from the seeded generator, but the noise of the camera from numpy's global one,
which a fork copies.
"""

from __future__ import annotations

import numpy as np
from plain import Plain

ARGUMENTS = ["--managers", "gymnasium-async", "--start-methods", "fork"]
ALSO = ["DET001", "DET002"]


class Sick(Plain):
    def _observe(self):
        noise = np.random.normal(0.0, 0.01, 3)  # noqa: NPY002
        return np.clip(super()._observe() + noise, -1.0, 1.0).astype(np.float32)


class Healthy(Plain):
    def _observe(self):
        noise = self.np_random.normal(0.0, 0.01, 3)
        return np.clip(super()._observe() + noise, -1.0, 1.0).astype(np.float32)
