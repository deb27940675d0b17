"""The physics go on in a thread that nobody tells to stop."""

from __future__ import annotations

import threading

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
GIVES_WAY = {"LEK006": "CLS007"}

TICK = 0.05  # seconds


def simulate(stop):
    while not stop.wait(TICK):
        pass


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._stop = threading.Event()
        self._physics = threading.Thread(
            target=simulate, args=(self._stop,), name="physics", daemon=True
        )
        self._physics.start()


class Healthy(Sick):
    def close(self):
        self._stop.set()
        self._physics.join()
