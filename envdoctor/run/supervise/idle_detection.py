"""Whether processes wait for something that does not come, and what a busy machine kept from
them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from envdoctor.run.supervise.machine import machine

LOOK_EVERY = 0.1  # seconds
CHARGE_EVERY = 0.25  # seconds: the threads of a process may be many
MOST = 4.0  # times the deadline that a call gets on a busy machine
#: Of its deadline, what a call must have had when it is looked at for a second time.
ENOUGH = 0.6
#: The same as MOST for a call that never came back before: it is likely to hang here as well.
MOST_AGAIN = 2.0


class Idleness:
    """For how long none of a few processes has run. On a machine that is busy with other things a
    slow process still runs now and then, or is ready to; one that waits for ever does neither.
    """

    def __init__(self) -> None:
        self._pulse: object = None
        self._since = self._looked = time.monotonic()

    def begin(self, pids: Iterable[int]) -> None:
        """Look at them at once: they may be still from here on."""
        self._pulse = machine.pulse(pids)
        self._since = self._looked = time.monotonic()

    def seconds(self, pids: Iterable[int]) -> float:
        """Look at them, if it is time to, and say for how long they have been still."""
        now = time.monotonic()
        if now - self._looked < LOOK_EVERY:
            return self._looked - self._since
        pulse = machine.pulse(pids)
        if pulse is None or pulse != self._pulse:
            self._since = now
        self._pulse, self._looked = pulse, now
        return now - self._since

    def lasts(self, pids: Iterable[int]) -> bool:
        """Whether nothing ran since they were looked at. What a process waits for is read
        meanwhile, and its child may end in between: the wait is over, and it has not run yet.
        """
        return self._pulse is not None and machine.pulse(pids) == self._pulse


class CallClock:
    """Seconds that a call has had: those in which its processes were ready to run, and the machine
    ran others, are not among them.
    """

    def __init__(self, cores: int) -> None:
        self._cores = cores
        self._since = -1.0
        self._looked = self._waited = 0.0
        self._threads: dict[str, tuple[int, int]] = {}

    def seconds(self, since: float, pids: Iterable[int]) -> float:
        """Those of the call that began at `since` (time.monotonic())."""
        now = time.monotonic()
        if since != self._since:
            self._since, self._waited = since, 0.0
            self._looked, self._threads = now, machine.scheduled(pids)
        elif now - self._looked >= CHARGE_EVERY:
            self._charge(now, machine.scheduled(pids))
        return self.without_waiting(now - since, MOST)

    def without_waiting(self, seconds: float, most: float) -> float:
        """Of some seconds up to now, those that the call has had: at least one in `most`."""
        return max(seconds - self._waited, seconds / most)

    def had_less(self, seconds: float, than: float) -> bool:
        """Whether a call had less of the machine than some seconds: a reset() that works for 60 s
        had 62 of 481 s, with a deadline of 120 s, and is not waited for any longer.
        """
        return seconds - self._waited < than

    def _charge(self, now: float, threads: dict[str, tuple[int, int]]) -> None:
        """Take off what the slowest thread waited for a core, as far as others had them."""
        ran, waited = 0.0, 0.0
        for thread, (running, waiting) in threads.items():
            before = self._threads.get(thread, (running, waiting))
            ran += (running - before[0]) / 1e9
            waited = max(waited, (waiting - before[1]) / 1e9)
        passed = now - self._looked
        others = max(0.0, passed - ran / self._cores)
        self._waited += min(waited, others)
        self._looked, self._threads = now, threads
