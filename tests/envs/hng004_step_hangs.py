"""step() puts frames into a bounded queue that nobody empties; the twin drops the oldest frame."""

from __future__ import annotations

import queue

from plain import Plain

ARGUMENTS = ["--managers", "direct", "--timeout", "2"]
ROOM = 6  # frames
LONG = 60.0  # seconds


class Sick(Plain):
    """Hangs at the seventh step of its life."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._frames = queue.Queue(ROOM)

    def step(self, action):
        self._frames.put(b"frame", timeout=LONG)
        return super().step(action)


class Healthy(Sick):
    """Keeps the newest frames."""

    def step(self, action):
        if self._frames.full():
            self._frames.get_nowait()
        return super().step(action)
