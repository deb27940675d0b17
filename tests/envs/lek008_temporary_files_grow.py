"""Every fifth instance writes its level to a temporary file, and nobody deletes it."""

from __future__ import annotations

import itertools
import os
import tempfile

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
NUMBERS = itertools.count(1)


class Sick(Plain):
    _level = None

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        if next(NUMBERS) % 5 == 0:
            descriptor, self._level = tempfile.mkstemp(suffix=".level")
            os.close(descriptor)


class Healthy(Sick):
    def close(self):
        if self._level is not None:
            os.remove(self._level)
            self._level = None
        super().close()
