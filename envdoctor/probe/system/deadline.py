"""Seconds of this process and what is below it, less those that other programs kept from them.

A process that is ready to run while the machine runs others does not get slower, and what ends in
time on an idle machine ends in time on a busy one. What this process keeps busy itself takes its
own time.
"""

from __future__ import annotations

import os
from time import monotonic
from typing import Dict, Tuple

from envdoctor.probe.system import family, kernel

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

Scheduled = Dict[str, Tuple[int, int]]  # by thread: nanoseconds that it ran, and waited for a core


class Stopwatch:
    """Seconds from now on. `guard` is the process that adopts orphans, if there is one."""

    def __init__(self, guard: int = 0) -> None:
        self._guard = guard
        self._threads = _scheduled(guard)
        self._began = monotonic()

    def seconds(self) -> float:
        """Those up to now."""
        passed = monotonic() - self._began
        return passed - _kept(self._threads, _scheduled(self._guard), passed)


class Deadline:
    """The end of some seconds. The kernel is asked only when as many have passed on the wall."""

    def __init__(self, seconds: float, guard: int = 0) -> None:
        self._seconds = seconds
        self._watch = Stopwatch(guard)
        self._look_at = monotonic() + seconds

    @property
    def seconds(self) -> float:
        """Those that it has had."""
        return self._watch.seconds()

    @property
    def passed(self) -> bool:
        """True when it is over."""
        return self.ends_within(0.0)

    def ends_within(self, pause: float) -> bool:
        """True where it is over after a pause."""
        if monotonic() + pause <= self._look_at:
            return False
        left = self._seconds - self._watch.seconds()
        self._look_at = monotonic() + left
        return pause > left


def _scheduled(guard: int) -> Scheduled:
    """Of every thread of this process, and of those below it and its guard."""
    own = os.getpid()
    scheduled: Scheduled = {}
    for pid in {own, *family.listed_below(guard or own)} if kernel.HAS_PROC else ():
        folder = "/proc/%d/task/" % pid
        for thread in kernel.names(folder):
            words = kernel.read(folder + thread + "/schedstat").split()
            if len(words) > 1:
                scheduled[thread] = (int(words[0]), int(words[1]))
    return scheduled


def _kept(before: Scheduled, now: Scheduled, passed: float) -> float:
    """Seconds that others kept from the thread that waited longest, of those that passed."""
    ran, waited = 0, 0
    for thread, (running, waiting) in now.items():
        earlier = before.get(thread, (0, 0))
        ran += running - earlier[0]
        waited = max(waited, waiting - earlier[1])
    return max(0.0, min(waited / 1e9, passed - ran / 1e9 / CORES))
