"""close() puts an end mark into a queue that is full, and that nobody empties."""

from __future__ import annotations

import contextlib
import queue

from plain import Plain

ARGUMENTS = ["--managers", "direct", "--timeout", "2"]

FRAMES = 16  # fewer than the steps of the plain life, more than those of the other scenarios


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._frames = queue.Queue(maxsize=FRAMES)

    def step(self, action):
        with contextlib.suppress(queue.Full):
            self._frames.put_nowait(b"frame")
        return super().step(action)

    def close(self):
        self._frames.put(None)


class Healthy(Sick):
    def close(self):
        with contextlib.suppress(queue.Full):
            self._frames.put_nowait(None)
