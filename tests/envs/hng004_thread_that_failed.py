"""step() waits for a frame of a thread that has raised; the twin's thread gives the error on."""

from __future__ import annotations

import queue
import threading

from plain import Plain

ARGUMENTS = ["--managers", "direct", "--timeout", "2"]
ALSO = ["CLS017"]
ROOM = 7  # frames


class Sick(Plain):
    """Hangs at the eighth step of its life."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._orders, self._frames = queue.Queue(), queue.Queue()
        self._renderer = threading.Thread(target=self._draw, name="renderer", daemon=True)
        self._renderer.start()

    def _draw(self):
        room = [b"frame"] * ROOM
        while self._orders.get() is not None:
            self._frames.put(room.pop())

    def step(self, action):
        self._orders.put(action)
        self._frames.get()
        return super().step(action)

    def close(self):
        if self._renderer is not None:
            self._orders.put(None)
            self._renderer.join()
            self._renderer = None
        super().close()


class Healthy(Sick):
    """Draws as many frames as are wanted."""

    def _draw(self):
        while self._orders.get() is not None:
            self._frames.put(b"frame")
