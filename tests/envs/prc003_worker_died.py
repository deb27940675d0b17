"""The seventh step reads through a null pointer; the twin's pointer is good."""

from __future__ import annotations

import ctypes

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
BUFFER = ctypes.create_string_buffer(b"line")


class Sick(Plain):
    """Loses its buffer on the way."""

    lost = None

    def step(self, action):
        ctypes.string_at(self.lost if self._steps == 6 else BUFFER)
        return super().step(action)


class Healthy(Sick):
    """Keeps it."""

    lost = BUFFER
