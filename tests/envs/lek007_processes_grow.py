"""Every fifth instance starts an encoder for its video, and nobody ends it."""

from __future__ import annotations

import itertools
import subprocess

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
NUMBERS = itertools.count(1)


class Sick(Plain):
    _encoder = None

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        if next(NUMBERS) % 5 == 0:
            self._encoder = subprocess.Popen(["sleep", "600"])


class Healthy(Sick):
    def close(self):
        if self._encoder is not None:
            self._encoder.kill()
            self._encoder.wait()
            self._encoder = None
        super().close()
