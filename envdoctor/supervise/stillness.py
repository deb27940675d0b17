"""Whether processes wait for something that does not come."""

from __future__ import annotations

import time
from collections.abc import Iterable

from envdoctor.supervise.machine import machine

LOOK_EVERY = 0.1  # seconds


class Stillness:
    """Tells when none of a few processes has run for so many `seconds`. On a machine that is busy with other things a slow
    process still runs now and then, or is ready to; one that waits for ever does neither.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._pulse: object = None
        self._since = self._looked = time.monotonic()

    def reached(self, pids: Iterable[int]) -> bool:
        """Look at them, if it is time to, and say whether they have been still for long enough."""
        now = time.monotonic()
        if now - self._looked < LOOK_EVERY:
            return False
        pulse = machine.pulse(pids)
        if pulse is None or pulse != self._pulse:
            self._since = now
        self._pulse, self._looked = pulse, now
        return now - self._since >= self._seconds
