"""A training that was started without us, looked at from outside: what /proc has of each of its
processes, and stacks of those that do not run. Those that run Python 3.14 are visited as well.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, field

from envdoctor.analysis.training_growth import ENOUGH, MEMORY, growth
from envdoctor.errors import UsageError
from envdoctor.model.training import Silent, Still, Training, TrainingProcess
from envdoctor.model.training_calls import LONG
from envdoctor.model.training_growth import LOOKS, Reading, Series
from envdoctor.model.training_visits import Alive, Visit
from envdoctor.model.visiting import CONTAINERS, READING
from envdoctor.run.supervise import owner
from envdoctor.run.supervise.idle_detection import Idleness
from envdoctor.run.supervise.machine import machine
from envdoctor.watch import tree
from envdoctor.watch.command import Display, stop
from envdoctor.watch.outside import outside
from envdoctor.watch.stacks import stacks
from envdoctor.watch.visits import Visits

READINGS = 64  # of each process
LEAST = 0.25  # seconds between two readings
BETWEEN = 8  # readings between two looks at the containers
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass
class _Observed:
    """One process."""

    parent: int
    command: str
    clock: Idleness = field(default_factory=Idleness)
    readings: list[Reading] = field(default_factory=list)
    still: float = 0.0
    stacks: str = ""
    ended: float | None = None
    looks: int = 0
    looked: int = 0  # readings at the last look


class Attached:
    """The processes of a training from a PID on, and what was seen of them so far. Raises
    UsageError where it does not run, or is another user's.
    """

    def __init__(self, pid: int, holders: bool = True) -> None:
        self.pid, self._holders = pid, holders
        self.began = time.monotonic()
        self._start = owner.started(pid)
        self._processes: dict[int, _Observed] = {}
        if not self._start:
            raise UsageError(f"{pid} does not run: expected the PID of a training")
        if not os.access(f"/proc/{pid}/fd", os.R_OK):
            raise UsageError(f"{pid} is another user's: run envdoctor as that user")
        self.command = tuple(machine.describe(pid).split())
        self._visits = Visits()

    @property
    def is_there(self) -> bool:
        """True if it runs."""
        return owner.started(self.pid) == self._start

    def look(self) -> None:
        """Take a reading of each process."""
        now = time.monotonic() - self.began
        pids = [pid for pid in tree.below(self.pid) if machine.is_running(pid)]
        self._visits.take()
        for pid in pids:
            observed = self._processes.get(pid)
            if observed is None:
                observed = self._processes[pid] = _Observed(tree.parent(pid), machine.describe(pid))
            self._read(pid, observed, now)
        for pid in set(self._processes) - set(pids):
            if self._processes[pid].ended is None:
                self._processes[pid].ended = now

    def _read(self, pid: int, observed: _Observed, now: float) -> None:
        held, inside = outside(pid), self._visits.reading(pid) or Visit(0)
        observed.readings.append(
            Reading(
                round(now, 3),
                blocks=inside.blocks,
                malloc=inside.malloc,
                tracked=inside.tracked,
                full=inside.full,
                descriptors=held.descriptors,
                threads=held.threads,
                children=held.children,
                segments=held.segments,
                rss=held.rss,
            )
        )
        observed.still = observed.clock.seconds([pid])
        if observed.still < LONG:
            observed.stacks = ""
        elif not observed.stacks and tree.is_python(pid):
            observed.stacks = stacks(pid)
        self._visits.ask(pid, self._wanted(observed))

    def _wanted(self, observed: _Observed) -> str:
        """Return what to ask a process for: its containers, twice, where memory grows."""
        count = len(observed.readings)
        if not self._holders or observed.looks >= LOOKS or count < ENOUGH:
            return READING
        if observed.looks == 0 and not any(
            growth(observed.readings, text, attached=True).may_grow for text in MEMORY
        ):
            return READING
        if observed.looks and count - observed.looked < BETWEEN:
            return READING
        observed.looks, observed.looked = observed.looks + 1, count
        return CONTAINERS

    def leave(self) -> None:
        """Take leave of the processes that were visited."""
        there = {pid for pid, observed in self._processes.items() if observed.ended is None}
        self._visits.leave({pid for pid in there if machine.is_running(pid)})
        self._visits.close()

    def _series(self, pid: int, observed: _Observed) -> Series:
        page_report = self._visits.page_report
        return Series(
            pid,
            tuple(observed.readings),
            tuple(page_report.holders.get(pid, ())),
            looks=len(page_report.looks.get(pid, ())),
            paused=sum(page_report.looks.get(pid, ())),
            unfound=page_report.unfound.get(pid, 0),
        )

    def _alive(self) -> tuple[Alive, ...]:
        return tuple(
            Alive(pid, name, (visited.first or {}).get(name, 0), visited.last.get(name, 0))
            for pid, visited in self._visits.visited.items()
            for name in sorted({*(visited.first or {}), *visited.last})
        )

    def _refused(self) -> tuple[Silent, ...]:
        there = (pid for pid in self._visits.visited if self._processes[pid].ended is None)
        known = ((pid, self._visits.why(pid)) for pid in there if machine.is_running(pid))
        return tuple(Silent(pid, self._processes[pid].command, why) for pid, why in known if why)

    def training(self) -> Training:
        """The training, as it was observed."""
        return Training(
            self.command,
            self.pid,
            seconds=time.monotonic() - self.began,
            processes=tuple(
                TrainingProcess(pid, observed.parent, observed.command, "", ended=observed.ended)
                for pid, observed in self._processes.items()
            ),
            series=tuple(self._series(pid, observed) for pid, observed in self._processes.items()),
            over=not self.is_there,
            attached=True,
            still=tuple(
                Still(pid, observed.still, observed.stacks)
                for pid, observed in self._processes.items()
                if observed.still >= LONG and observed.ended is None
            ),
            alive=self._alive(),
            refused=self._refused(),
        )


def attach(pid: int, seconds: float, display: Display, holders: bool = True) -> Training:
    """Look at a training for so long, or until it ends, or a signal ends us. Where memory grows,
    `holders` has processes that answer look for who holds what grows. Raises UsageError.
    """
    attached = Attached(pid, holders)
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
        attached.leave()
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)
    return attached.training()
