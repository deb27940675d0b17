"""close() sends its log line by line, and waits for the answer to each."""

from __future__ import annotations

import time

from plain import Plain

ARGUMENTS = ["--managers", "direct"]

ROUND_TRIP = 0.12  # seconds; 20 steps make 2.4


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._log = []

    def step(self, action):
        self._log.append(action)
        return super().step(action)

    def close(self):
        while self._log:
            self._log.pop()
            time.sleep(ROUND_TRIP)


class Healthy(Sick):
    def reset(self, *, seed=None, options=None):
        self._log = []
        return super().reset(seed=seed, options=options)

    def close(self):
        if self._log:
            self._log.clear()
            time.sleep(ROUND_TRIP)
