"""The constructor waits for a simulator that never reports; the twin's simulator does."""

from __future__ import annotations

import threading

from plain import Plain

ARGUMENTS = ["--managers", "direct", "--timeout", "2"]
LONG = 60.0  # seconds


class Sick(Plain):
    """Forgets to start what it waits for."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._ready = threading.Event()
        self._start_simulator()
        self._ready.wait(LONG)

    def _start_simulator(self):
        """The simulator comes up, but has nobody to tell."""


class Healthy(Sick):
    """The simulator says that it is there."""

    def _start_simulator(self):
        self._ready.set()
