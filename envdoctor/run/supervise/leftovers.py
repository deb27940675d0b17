"""Leftovers of a probe, and their removal."""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path

from envdoctor.model.events import Event
from envdoctor.model.records import FactRecord, ReadingRecord, records_of
from envdoctor.run.supervise import folders, guard
from envdoctor.run.supervise.idle_detection import Allowance
from envdoctor.run.supervise.known_processes import RESOURCE_TRACKER
from envdoctor.run.supervise.limits import Limits
from envdoctor.run.supervise.machine import machine
from envdoctor.run.supervise.owner import started
from envdoctor.run.supervise.probe_process import ProbeProcess

QUIET_LOOKS = 2
POLL = 0.01  # seconds, where the end of a process cannot be waited for
LOOK_EVERY = 0.25  # seconds: a look reads of every process of the machine
MAX_FILES = 1000  # that are listed
SENSOR = "shared-memory"  # and the fact of what was made by name


def wait_for_others(probe: ProbeProcess, limits: Limits) -> dict[str, str] | None:
    """The processes that are still there after the probe has gone and its descendants had the
    seconds of `limits.settle` to notice: {pid: text}. None where the machine kept those from them.
    What sleeps for longer is not waited for.
    """
    alive, quiet = _running(probe), 0
    waiting = Allowance(limits.settle, alive, limits.cores)
    # All are gone when two looks agree: one may fall into the moment in which an orphan changes
    # parents.
    while (quiet := 0 if alive else quiet + 1) < QUIET_LOOKS and not waiting.is_over(alive):
        if waiting.is_given_up:
            return None
        if alive and all(sleeps(pid, limits.settle) for pid in alive):
            break
        _wait_for_an_end(alive)
        alive = _running(probe)
    return {str(pid): text for pid, text in alive.items()}


def _running(probe: ProbeProcess) -> dict[int, str]:
    """{pid: command line}, without Python's resource tracker: it lives as long as anybody who
    inherited its pipe, who is listed. (Not so the fork server: the workers that it forked carry its
    command line.) The text is read first: of a process that ends only its name is left, by which
    the tracker cannot be told from another Python.
    """
    texts = {pid: machine.describe(pid) for pid in probe.others()}
    return {
        pid: text
        for pid, text in texts.items()
        if text and RESOURCE_TRACKER not in text and machine.is_running(pid)
    }


def sleeps(pid: int, seconds: float) -> bool:
    """True where every thread of a process sleeps for so long, or for ever: none can notice."""
    wakes = machine.wakes_at((pid,), pid, _began(pid))
    return wakes is not None and wakes > time.monotonic() + seconds


def _began(pid: int) -> float:
    """The moment (time.monotonic()) at which a process was started, or an earlier one."""
    ticks = started(pid)
    if not ticks.isdigit():  # it is gone, or this is not Linux
        return -math.inf
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - int(ticks) / os.sysconf("SC_CLK_TCK")
    return time.monotonic() - age


def _wait_for_an_end(pids: Iterable[int]) -> None:
    """Wait until one of these processes ends, but not long; a moment where there are none."""
    with ExitStack() as opened:
        ends = select.poll()
        try:
            for pid in pids:
                descriptor = os.pidfd_open(pid)
                opened.callback(os.close, descriptor)
                ends.register(descriptor, select.POLLIN)
        except (OSError, AttributeError):  # it has ended, or this is not Linux
            pids = ()
        ends.poll((LOOK_EVERY if pids else POLL) * 1000)


def files_in(directory: Path) -> dict[str, str]:
    """Files below a directory, and empty directories: {relative path: size}."""
    entries = folders.below(directory)
    return {
        os.path.relpath(entry.path, directory): (
            "directory" if entry.size is None else f"{entry.size} bytes"
        )
        for entry in islice(entries, MAX_FILES)
    }


class SharedMemory:
    """The shared memory objects that appeared since this was made (or are not in `before`) and that
    a probe's processes are known to have used.
    """

    def __init__(self, before: Iterable[str] | None = None) -> None:
        self._before = set(machine.shared_memory() if before is None else before)
        self._names: set[str] = set()

    def learn(self, pids: Iterable[int], events: Iterable[Event]) -> None:
        """Note what living processes hold, and what the sensors of dead ones saw."""
        self.add(machine.shared_memory_of(pids))
        events = tuple(events)
        for reading in records_of(ReadingRecord, events):
            self.add(reading.by_key(SENSOR))
        for fact in records_of(FactRecord, events):
            if fact.key == SENSOR and isinstance(fact.value, dict):
                self.add(fact.value)

    def add(self, names: Iterable[str]) -> None:
        """Note names that another part saw in use."""
        self._names |= set(names)

    def write(self, folder: Path) -> None:
        """Write down what is known, for the cleanup watchdog of a doctor that is killed before it
        removes that.
        """
        with suppress(OSError):
            if names := self._names - self._before:
                guard.write_held(str(folder), names)

    def left(self) -> dict[str, str]:
        """Return new, known and unused shared memory: {name: size}. To be called when the probe's
        processes are gone. A sensor sees the whole machine, so memory of another program is known
        too; that program holds it.
        """
        candidates = {
            name: text
            for name, text in machine.shared_memory().items()
            if name in self._names - self._before
        }
        in_use = machine.shared_memory_of(machine.all_pids()) if candidates else set()
        return {name: text for name, text in candidates.items() if name not in in_use}

    def remove(self) -> dict[str, str]:
        """Remove what is left; what it was."""
        left = self.left()
        for name in left:
            machine.remove_shared_memory(name)
        return left
