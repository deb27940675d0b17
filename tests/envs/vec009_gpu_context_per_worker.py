"""Physics on the GPU, in each worker; the twin computes without one."""

from __future__ import annotations

import cuda_driver
from plain import Plain

ARGUMENTS = [
    "--managers",
    "gymnasium-async",
    "--start-methods",
    "forkserver",
    "--select",
    "VEC",
]
INTERPRETER = "ENVDOCTOR_GPU_PYTHON"


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        cuda_driver.driver()


class Healthy(Plain):
    pass
