"""Detection of processes that wait for something that does not come, and of time that a busy
machine kept from them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from envdoctor.run.supervise.machine import machine

LOOK_EVERY = 0.1  # seconds
CHARGE_EVERY = 0.25  # seconds: the threads of a process may be many
MOST = 4.0  # times the deadline that a call gets on a busy machine
#: Of its deadline, what a call must have had when it is looked at for a second time.
ENOUGH = 0.6
#: The same as MOST for a call that never came back before, and is given a second only.
MOST_AGAIN = 10.0
#: Times a grace of a second, on the wall: what had less of the machine by then is not known.
MOST_OF_GRACE = 60.0
#: Of its time, what a call computes that works: one that looks every 10 ms takes two percent.
WORKING = 0.1
TICKING = 0.05  # the same, of a thread that only wakes now and then
COMPUTING = 0.5  # the same, of a call that does nothing else
MOVING = 64 * 1024  # bytes a second: what downloads or loads, and does not write a log

Scheduled = Mapping[str, tuple[int, int]]  # by thread: nanoseconds that it ran, and waited


class Idleness:
    """For how long none of a few processes has run. On a machine that is busy with other things a
    slow process still runs now and then, or is ready to; one that waits for ever does neither. With
    `ticks`, threads that only wake now and then are passed over, such as one that shows progress:
    they are `ticking`.
    """

    def __init__(self, ticks: bool = False) -> None:
        self._ticks = ticks
        self._pulse: object = None
        self._since = self._looked = time.monotonic()
        self._ran: Mapping[str, int] = {}  # nanoseconds, of threads when they began to tick
        self.ticking: Mapping[str, int] = {}

    def begin(self, pids: Iterable[int]) -> None:
        """Look at them at once: they may be still from here on."""
        self._pulse = self._read(pids)
        self._since = self._looked = time.monotonic()
        self._ran = self.ticking

    def seconds(self, pids: Iterable[int]) -> float:
        """Look at them, if it is time to, and say for how long they have been still."""
        now = time.monotonic()
        if now - self._looked < LOOK_EVERY:
            return self._looked - self._since
        pulse = self._read(pids)
        if pulse is None or pulse != self._pulse or self._works(now):
            self._since, self._ran = now, self.ticking
        self._pulse, self._looked = pulse, now
        return now - self._since

    def lasts(self, pids: Iterable[int]) -> bool:
        """Return True if nothing ran since they were looked at. The reason of a wait is read
        meanwhile, and a child may end in between: the wait is over, and it has not run yet.
        """
        return self._pulse is not None and self._read(pids) == self._pulse

    def _read(self, pids: Iterable[int]) -> object:
        pids = tuple(pids)
        self.ticking = machine.ticking(pids, self.ticking) if self._ticks else {}
        return machine.pulse(pids, self.ticking)

    def _works(self, now: float) -> bool:
        """Return whether a thread that ticks runs too long for that."""
        most = TICKING * (now - self._since) * 1e9
        return any(ran - self._ran.get(each, 0) > most for each, ran in self.ticking.items())


class CallClock:
    """Seconds that a call has had: those in which its processes were ready to run, and the machine
    ran others, are not among them.
    """

    def __init__(self, cores: int) -> None:
        self._cores = cores
        self._since = -1.0
        self._first = self._looked = self._waited = self._ran = 0.0
        self._threads: Scheduled = {}
        self._transferred = 0

    def seconds(self, now: float, since: float, pids: Iterable[int]) -> float:
        """Those of the call that began at `since`, until `now` (time.monotonic())."""
        if since != self._since:
            self._since, self._waited, self._ran = since, 0.0, 0.0
            self._transferred = machine.transferred(pids)
            self._first = self._looked = now
            self._threads = machine.scheduled(pids)
        elif now - self._looked >= CHARGE_EVERY:
            self._charge(now, machine.scheduled(pids))
        return self.without_waiting(now - since, MOST)

    def without_waiting(self, seconds: float, most: float) -> float:
        """Of some seconds up to now, those that the call has had: at least one in `most`."""
        return max(seconds - self._waited, seconds / most)

    def works(self, seconds: float, pids: Iterable[int]) -> bool:
        """Return whether the processes of a call computed for a part of the seconds that it had, or
        moved data: one that polls does neither.
        """
        moved = machine.transferred(pids) - self._transferred
        return self._ran >= WORKING * seconds or moved >= MOVING * seconds

    def computes(self) -> bool:
        """Return whether the processes of a call computed for most of the seconds that it had since
        it was first looked at.
        """
        seconds = self._looked - self._first - self._waited
        return self._ran > 0 and self._ran >= COMPUTING * seconds

    def had_less(self, seconds: float, than: float) -> bool:
        """Return True if a call had less of the machine than some seconds: a reset() that works for
        60 s had 62 of 481 s, with a deadline of 120 s, and is not waited for any longer.
        """
        return seconds - self._waited < than

    def _charge(self, now: float, threads: Scheduled) -> None:
        """Take off what the slowest thread waited for a core, as far as others had them."""
        self._waited += _kept(self._threads, threads, now - self._looked, self._cores)
        self._ran += _running(self._threads, threads)
        self._looked, self._threads = now, threads


class Allowance:
    """Some seconds for a few processes, from now on, without those in which they were ready to run
    and the machine ran others. The kernel is asked only when as many have passed on the wall.
    """

    def __init__(self, seconds: float, pids: Iterable[int], cores: int) -> None:
        self._seconds, self._cores = seconds, cores
        self._threads = machine.scheduled(pids)
        self._began = time.monotonic()
        self._look_at = self._began + seconds

    def is_over(self, pids: Iterable[int]) -> bool:
        """True when they have had them."""
        now = time.monotonic()
        if now < self._look_at:
            return False
        threads = machine.scheduled(pids)
        self._threads = {**threads, **self._threads}
        passed = now - self._began
        left = self._seconds - passed + _kept(self._threads, threads, passed, self._cores)
        self._look_at = now + left
        return left <= 0

    @property
    def is_given_up(self) -> bool:
        """True when they were waited for as long as anything is, had they their seconds or not."""
        return time.monotonic() - self._began > self._seconds * MOST_OF_GRACE


def _running(before: Scheduled, now: Scheduled) -> float:
    """Seconds that threads ran."""
    return sum(ran - before.get(thread, (ran, 0))[0] for thread, (ran, _) in now.items()) / 1e9


def _kept(before: Scheduled, now: Scheduled, passed: float, cores: int) -> float:
    """Of the seconds that passed, those that the slowest thread waited for a core, as far as others
    had them.
    """
    ran, waited = 0, 0
    for thread, (running, waiting) in now.items():
        earlier = before.get(thread, (running, waiting))
        ran += running - earlier[0]
        waited = max(waited, waiting - earlier[1])
    return min(waited / 1e9, max(0.0, passed - ran / 1e9 / cores))
