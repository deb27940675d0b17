"""Each episode connects to the robot anew, and the connection of the last one keeps listening;
the twin hangs up first.
"""

from __future__ import annotations

import threading

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
ALSO = ["CLS007", "LEK006"]  # one thread for each reset


class Robot:
    """A connection that listens in a thread of its own."""

    def __init__(self):
        self._over = threading.Event()
        self._listener = threading.Thread(
            target=self._over.wait, args=(60.0,), name="robot listener", daemon=True
        )
        self._listener.start()

    def disconnect(self):
        self._over.set()
        self._listener.join()


class Sick(Plain):
    _robot = None

    def reset(self, *, seed=None, options=None):
        self._robot = Robot()
        return super().reset(seed=seed, options=options)

    def close(self):
        if self._robot is not None:
            self._robot.disconnect()
            self._robot = None


class Healthy(Sick):
    def reset(self, *, seed=None, options=None):
        self.close()
        return super().reset(seed=seed, options=options)
