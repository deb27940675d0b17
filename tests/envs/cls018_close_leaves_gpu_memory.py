"""A track that is drawn on the GPU, and stays there when it is closed; the twin frees it."""

from __future__ import annotations

import cuda_driver
from plain import Plain

ARGUMENTS = ["--managers", "direct", "--select", "CLS018,LEK010"]
INTERPRETER = "ENVDOCTOR_GPU_PYTHON"
GIVES_WAY = {"LEK010": "CLS018"}
SIZE = 64 << 20


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._track = cuda_driver.take(SIZE)


class Healthy(Sick):
    def close(self):
        if self._track is not None:
            cuda_driver.free(self._track, SIZE)
            self._track = None
        super().close()
