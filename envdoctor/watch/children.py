"""Readings of the processes that those which call environments have started: simulators, most of
them. They are only looked at, in /proc.

What the trainer's process starts may be anything. Of that, workers of multiprocessing are left out,
and programs that are known to belong to a library.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from envdoctor.model import page
from envdoctor.model.training_growth import ANEW, ChildSeries, Reading
from envdoctor.run.supervise.machine import machine
from envdoctor.watch import outside, tree
from envdoctor.watch.pages import Counts
from envdoctor.watch.readings import KEPT, spacing

COST = 20  # times what a look took of the doctor, before the next one
MOST = 256  # processes that are followed
FEW = 32  # readings, below which one that ended says nothing
#: Helpers of multiprocessing, and its workers: those of a trainer are vectorizers' or loaders'.
HELPERS = re.compile(r"multiprocessing\.(resource_tracker|forkserver) import main")
WORKERS = re.compile(r"multiprocessing\.spawn import spawn_main|--multiprocessing-fork")
#: Programs of libraries that a trainer uses.
LIBRARIES = re.compile(
    r"/ray/|\bray::|raylet|gcs_server|wandb|tensorboard|mlflow|/torch/|triton|clearml|neptune"
    r"|comet|nvidia|ipykernel|jupyter|\bgit\b"
)


@dataclass
class _Child:
    """One process that is followed."""

    series: ChildSeries
    readings: list[Reading] = field(default_factory=list)

    @property
    def group(self) -> tuple[int, str]:
        """A key that those have in common that are started anew, one after the other."""
        return (self.series.caller, self.series.command)


class Children:
    """The memory that they held, so far: by process id, and when each was started."""

    def __init__(self) -> None:
        self._followed: dict[tuple[int, int], _Child] = {}
        self._next = self._last = 0.0
        self._first: float | None = None

    def due(self, now: float) -> bool:
        """Return whether the next reading is due, `now` seconds after the training began."""
        return now >= self._next

    def take(self, pages: Iterable[Counts], alive: set[int], workers: set[int], now: float) -> None:
        """Read all that are there. `workers` are those of the processes that were started to play
        environments, and for nothing else.
        """
        began = time.thread_time()
        self._last = round(now, 3)
        there = {counts.pid: counts for counts in pages if counts.pid in alive and counts.rows}
        for caller, counts in there.items():
            made, resets, steps = _calls(counts)
            if not resets and not steps:
                continue
            self._first = now if self._first is None else self._first
            reading = Reading(self._last, made, resets, steps)
            for pid in _below(caller, there):
                self._read(pid, caller, caller in workers, reading)
        self._forget()
        since = 0.0 if self._first is None else now - self._first
        self._next = now + max(spacing(since), (time.thread_time() - began) * COST)

    def _read(self, pid: int, caller: int, of_worker: bool, reading: Reading) -> None:
        key = (pid, tree.started(pid))
        if key not in self._followed:
            command = _command(pid)
            is_followed = is_own(command, _command(caller), of_worker)
            if not is_followed or len(self._followed) >= MOST:
                return
            collector = outside.collector_of(pid)
            self._followed[key] = _Child(ChildSeries(pid, caller, command, collector=collector))
        child, size = self._followed[key], outside.written(pid)
        if size >= 0:
            child.readings.append(replace(reading, written=size))
        if len(child.readings) > KEPT:
            del child.readings[1::2]

    def _forget(self) -> None:
        """Of those that are started anew all the time, a few tell that."""
        kept = Counter[tuple[int, str]]()
        for key, child in list(self._followed.items()):
            if len(child.readings) < FEW and not self._is_there(child):
                kept[child.group] += 1
                if kept[child.group] > ANEW:
                    del self._followed[key]

    def _is_there(self, child: _Child) -> bool:
        return bool(child.readings) and child.readings[-1].t == self._last

    def series(self, workers: Collection[int]) -> tuple[ChildSeries, ...]:
        """Return what was read, of each of them."""
        return tuple(
            replace(
                child.series,
                readings=tuple(self._before_its_end(child)),
                of_worker=child.series.caller in workers,
                ended=not self._is_there(child),
            )
            for child in self._followed.values()
            if child.readings
        )

    def _before_its_end(self, child: _Child) -> list[Reading]:
        """The readings, of one that has ended without those since the last call: it frees what it
        has.
        """
        last = child.readings[-1]
        if self._is_there(child):
            return child.readings
        calls = (last.resets, last.steps)
        return [
            reading for reading in child.readings if (reading.resets, reading.steps) != calls
        ] or [last]


def is_own(command: str, callers: str, of_worker: bool) -> bool:
    """Return whether a process may be one that an environment started, by its command line and that
    of its `callers`: what a fork leaves as it is may be a worker.
    """
    if not command or HELPERS.search(command):
        return False
    if of_worker:
        return True
    is_other = command != callers and not WORKERS.search(command)
    return is_other and not LIBRARIES.search(command)


def _command(pid: int) -> str:
    return " ".join(machine.describe(pid).split())


def _calls(counts: Counts) -> tuple[int, int, int]:
    """Instances, resets and steps of one process, so far."""
    rows = counts.rows.values()
    resets = sum(row[page.RESET + 1] for row in rows)
    return counts.made, resets, sum(row[page.STEP + 1] for row in rows)


def _below(pid: int, others: Mapping[int, Counts]) -> Iterator[int]:
    """Return what a process started but for what has environments itself, and what that started."""
    for child in tree.children(pid):
        if child not in others:
            yield child
            yield from _below(child, others)
