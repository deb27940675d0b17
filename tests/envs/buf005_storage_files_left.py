"""The frames of an episode lie in a file that is mapped; nobody removes it."""

from __future__ import annotations

import os
import tempfile

import numpy as np
from plain import Plain

COMMAND = "leak"
INTERPRETER = "ENVDOCTOR_DING_PYTHON"
ARGUMENTS = ["--storage", "ding", "--capacity", "300"]
ALSO = ["LEK008"]

LENGTH = 256  # frames that a file has room for


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        descriptor, path = tempfile.mkstemp(suffix=".frames")
        os.close(descriptor)
        self._frames, self._next = np.memmap(path, np.float32, "w+", shape=(LENGTH, 3)), 0
        return super().reset(seed=seed)

    def _observe(self):
        self._next = (self._next + 1) % LENGTH
        self._frames[self._next] = super()._observe()
        return self._frames[self._next]


class Healthy(Sick):
    def reset(self, *, seed=None, options=None):
        descriptor, path = tempfile.mkstemp(suffix=".frames")
        os.close(descriptor)
        self._frames, self._next = np.memmap(path, np.float32, "w+", shape=(LENGTH, 3)), 0
        os.unlink(path)  # the mapping stays
        return Plain.reset(self, seed=seed)
