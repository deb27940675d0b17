"""Each reset uploads another track, and only the last one is freed; the twin frees the one before."""

from __future__ import annotations

import cuda_driver
from plain import Plain

ARGUMENTS = ["--managers", "direct", "--select", "LEK010"]
INTERPRETER = "ENVDOCTOR_GPU_PYTHON"
SIZE = 2 << 20


class Sick(Plain):
    _track = None

    def reset(self, *, seed=None, options=None):
        self._track = cuda_driver.take(SIZE)
        return super().reset(seed=seed, options=options)

    def close(self):
        self._free()
        super().close()

    def _free(self):
        if self._track is not None:
            cuda_driver.free(self._track, SIZE)
            self._track = None


class Healthy(Sick):
    def reset(self, *, seed=None, options=None):
        self._free()
        return super().reset(seed=seed, options=options)
