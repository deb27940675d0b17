"""Callbacks that put the figures of `envdoctor.watching()` into the logger of a framework, one file
a framework. Each imports its framework, so it is imported where it is named, and nowhere else.
"""

from __future__ import annotations

import math
import time

from envdoctor.inside import figures

PREFIX = "envdoctor/"
EVERY = 1.0  # seconds


class LatestFigures:
    """The figures of the run in this process under the names that loggers get. They are asked for
    at most each `every` seconds: some frameworks log after each few steps.
    """

    def __init__(self, every: float = EVERY) -> None:
        self._every = every
        self._asked = -math.inf
        self._latest: dict[str, float] = {}

    def latest(self) -> dict[str, float]:
        """Return {"envdoctor/training/steps": 2048}; nothing where this process is not watched."""
        now = time.monotonic()
        if now - self._asked >= self._every:
            self._asked = now
            self._latest = {PREFIX + name: number for name, number in figures().items()}
        return dict(self._latest)
