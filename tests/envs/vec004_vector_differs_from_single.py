"""reset() seeds numpy's global generator: fine alone, but in one process the last instance that
is reset decides for all.
"""

from __future__ import annotations

import numpy as np
from plain import Plain

ARGUMENTS = ["--managers", "gymnasium-sync"]
ALSO = ["MAK005", "SFX004"]  # both draw from one generator


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        if seed is not None:
            np.random.seed(seed)  # noqa: NPY002
        return super().reset(seed=seed, options=options)

    def _observe(self):
        return np.random.uniform(-1.0, 1.0, 3).astype(np.float32)  # noqa: NPY002


class Healthy(Plain):
    pass
