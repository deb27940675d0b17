"""The first reset() starts the physics and opens the level, close() was written when the
constructor still did nothing else.
"""

from __future__ import annotations

import threading

from plain import Plain

LEVEL = __file__  # any file will do
TICK = 0.05  # seconds


def simulate(stop):
    while not stop.wait(TICK):
        pass


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._stop = threading.Event()
        self._physics = None

    def reset(self, *, seed=None, options=None):
        if self._physics is None:
            self._level = open(LEVEL)  # noqa: SIM115
            self._physics = threading.Thread(
                target=simulate, args=(self._stop,), name="physics", daemon=True
            )
            self._physics.start()
        return super().reset(seed=seed, options=options)

    def close(self):
        super().close()


class Healthy(Sick):
    def close(self):
        if self._physics is not None:
            self._stop.set()
            if self._physics.ident is not None:  # it was started
                self._physics.join()
            self._level.close()
            self._physics = None
        super().close()
