"""The factory closes over a lock that its instances are to share; the twin makes the lock where
the worker runs.
"""

from __future__ import annotations

import threading

from plain import Plain

ARGUMENTS = ["--managers", "direct"]


class Walker(Plain):
    """Guards its map with a lock."""

    def __init__(self, lock=None, render_mode=None):
        super().__init__(render_mode)
        self._lock = lock or threading.Lock()

    def step(self, action):
        with self._lock:
            return super().step(action)


def factory_with(lock):
    def make(render_mode=None):
        return Walker(lock, render_mode)

    return make


Sick = factory_with(threading.Lock())


class Healthy(Walker):
    """Makes its own lock: the class itself is the factory."""
