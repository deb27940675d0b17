"""reset() waits for a first frame that is never sent; the twin asks for it."""

from __future__ import annotations

import queue

from plain import Plain

ARGUMENTS = ["--managers", "direct", "--timeout", "2"]
LONG = 60.0  # seconds


class Sick(Plain):
    """Reads before it has asked."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._frames = queue.Queue()

    def reset(self, *, seed=None, options=None):
        self._request_frame()
        self._frames.get(timeout=LONG)
        return super().reset(seed=seed, options=options)

    def _request_frame(self):
        """The request is lost."""


class Healthy(Sick):
    """The request arrives."""

    def _request_frame(self):
        self._frames.put(b"frame")
