"""A training that was started without us, looked at from outside: what /proc has of each of its
processes, and stacks of those that do not run.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, field

from envdoctor.errors import UsageError
from envdoctor.model.training import LONG, Process, Still, Training
from envdoctor.model.training_growth import Reading, Series
from envdoctor.run.supervise import owner
from envdoctor.run.supervise.idle_detection import Idleness
from envdoctor.run.supervise.machine import machine
from envdoctor.watch import tree
from envdoctor.watch.command import Display, stop
from envdoctor.watch.outside import outside
from envdoctor.watch.stacks import stacks

READINGS = 64  # of each process
LEAST = 0.25  # seconds between two readings
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass
class _Seen:
    """One process."""

    parent: int
    command: str
    clock: Idleness = field(default_factory=Idleness)
    readings: list[Reading] = field(default_factory=list)
    still: float = 0.0
    stacks: str = ""
    ended: float | None = None


class Attached:
    """The processes of a training from a PID on, and what was seen of them so far. Raises
    UsageError where it does not run, or is another user's.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.began = time.monotonic()
        self._start = owner.started(pid)
        self._seen: dict[int, _Seen] = {}
        if not self._start:
            raise UsageError(f"{pid} does not run: expected the PID of a training")
        if not os.access(f"/proc/{pid}/fd", os.R_OK):
            raise UsageError(f"{pid} is another user's: run envdoctor as that user")
        self.command = tuple(machine.describe(pid).split())

    @property
    def is_there(self) -> bool:
        """Whether it runs."""
        return owner.started(self.pid) == self._start

    def look(self) -> None:
        """Take a reading of each process."""
        now = time.monotonic() - self.began
        pids = [pid for pid in tree.below(self.pid) if machine.is_running(pid)]
        for pid in pids:
            seen = self._seen.get(pid)
            if seen is None:
                seen = self._seen[pid] = _Seen(tree.parent(pid), machine.describe(pid))
            self._read(pid, seen, now)
        for pid in set(self._seen) - set(pids):
            if self._seen[pid].ended is None:
                self._seen[pid].ended = now

    def _read(self, pid: int, seen: _Seen, now: float) -> None:
        held = outside(pid)
        seen.readings.append(
            Reading(
                round(now, 3),
                descriptors=held.descriptors,
                threads=held.threads,
                children=held.children,
                segments=held.segments,
                rss=held.rss,
            )
        )
        seen.still = seen.clock.seconds([pid])
        if seen.still < LONG:
            seen.stacks = ""
        elif not seen.stacks and tree.is_python(pid):
            seen.stacks = stacks(pid)

    def training(self) -> Training:
        """What was seen."""
        return Training(
            self.command,
            self.pid,
            seconds=time.monotonic() - self.began,
            processes=tuple(
                Process(pid, one.parent, one.command, "", ended=one.ended)
                for pid, one in self._seen.items()
            ),
            series=tuple(Series(pid, tuple(one.readings)) for pid, one in self._seen.items()),
            over=not self.is_there,
            attached=True,
            still=tuple(
                Still(pid, one.still, one.stacks)
                for pid, one in self._seen.items()
                if one.still >= LONG and one.ended is None
            ),
        )


def attach(pid: int, seconds: float, display: Display) -> Training:
    """Look at a training for so long, or until it ends, or a signal ends us. Raises UsageError."""
    attached = Attached(pid)
    handled = (*ENDING, signal.SIGTSTP)
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, handled)
    try:
        shown = time.monotonic()
        while attached.is_there and time.monotonic() - attached.began < seconds:
            attached.look()
            if display.every and time.monotonic() - shown >= display.every:
                shown = time.monotonic()
                display.show(attached)
            came = signal.sigtimedwait(handled, max(LEAST, seconds / READINGS))
            if came is not None and came.si_signo in ENDING:
                break
            if came is not None:
                display.hide()
                stop()
    finally:
        display.hide()
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)
    return attached.training()
