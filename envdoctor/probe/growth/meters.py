"""Exact meters, read at rest: what a process holds, to the single object and the single chunk of
malloc.

A leak of one object in twenty-five cycles shows only where a healthy environment reads exactly
zero. So nothing of the reader may stay: it keeps its numbers in arrays that are there before the
first reading (an int above 256 is an object), remembers nothing between two readings, and reads at
rest.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from array import array
from functools import lru_cache
from typing import TYPE_CHECKING, Callable, Dict, FrozenSet, Iterator, Optional, Tuple

from envdoctor.model.meters import CHILD_MEMORY, SERVICE
from envdoctor.probe.growth import python_heap, temporary_files
from envdoctor.probe.growth.settle import clear_caches, settle
from envdoctor.probe.heartbeat import beat
from envdoctor.probe.sensors import (
    Context,
    descriptors,
    files,
    home,
    native_heap,
    python_blocks,
    python_objects,
    sensors,
    shared_memory,
)
from envdoctor.probe.system import (
    blocked_threads,
    child_memory,
    family,
    heap,
    kernel,
    nvidia,
    service_count,
)
from envdoctor.probe.system.deadline import Deadline

if TYPE_CHECKING:
    from types import ModuleType

GRACE = 2.0  # seconds for threads and processes that were asked to stop and not waited for
IMPATIENT = 0.1  # of the grace, once it was waited in vain
FIRST_PAUSE, LAST_PAUSE = 0.002, 0.5  # seconds; doubles

# Up to Python 3.10 a function gets a cache of its own, one or two objects, the 1024th time it is
# called.
CALLS = 1040
HEATING = 0.8  # seconds of computing spent on that at most

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_RESIDENT, _DATA = 1, 5  # columns of statm

Read = Callable[[Context], int]
Missing = Callable[[], str]
Entry = Tuple[str, Missing, Read]  # a meter's name, why it does not work here, how it is read


def _nothing_missing() -> str:
    return ""


def _no_proc() -> str:
    return "" if kernel.HAS_PROC else kernel.NO_PROC


def _count_descriptors(context: Context) -> int:
    return len(descriptors.read(context))


def _count_threads(_context: Context) -> int:
    return len(kernel.names("/proc/self/task")) if kernel.HAS_PROC else threading.active_count()


def _count_processes(context: Context) -> int:
    """Zombies are counted: they were not waited for, and each takes a process id."""
    return len(family.family(context.guard))


@lru_cache(maxsize=None)
def _earlier_segments() -> FrozenSet[Tuple[str, int]]:
    return frozenset(shared_memory.present())


def _count_segments(context: Context) -> int:
    """Count what came after the first reading and was made here, or is mapped or open below us. The
    sensor's own count shrinks when other people's segments go, which would be a reading of theirs.
    """
    earlier = _earlier_segments()  # asked for also where nothing lies there: else the first is lost
    later = [known for known in shared_memory.present() if known not in earlier]
    return len(shared_memory.own(later, context))


def _python_bytes(_context: Context) -> int:
    return python_heap.read()


def _mapped_by_python(_context: Context) -> int:
    """As the meter of Python's bytes read it, which comes before."""
    return python_heap.mapped()


def _mapped_by_malloc(_context: Context) -> int:
    return heap.mapped()


def _data(_context: Context) -> int:
    return _statm(_DATA)


def _gpu(_context: Context) -> int:
    """Of this process alone. Nothing where the driver does not tell, which the sensor says."""
    try:
        return nvidia.in_use_here()
    except nvidia.NoAnswer:
        return 0


def _child_memory(context: Context) -> int:
    """By how much they grew since the first reading: those that lived through two of them."""
    return child_memory.begin(context.guard)


def _child_memory_again(context: Context) -> int:
    return child_memory.grown(context.guard)


def _child_memory_before(_context: Context) -> int:
    return child_memory.as_before()


def _service(_context: Context) -> int:
    return service_count.read()


def _service_before(_context: Context) -> int:
    return service_count.before()


def _resident(_context: Context) -> int:
    return _statm(_RESIDENT)


def _statm(column: int) -> int:
    return int(kernel.read("/proc/self/statm").split()[column]) * _PAGE


HEAP, OBJECTS = "heap", "objects"


def _count_of(sensor: ModuleType) -> Read:
    """Return a function that counts what a sensor sees. Where it fails once, it returns the count
    before: a number that falls and comes back would be growth.
    """
    last = array("q", [0])

    def count(context: Context) -> int:
        try:
            last[0] = len(sensor.read(context))
        except Exception:
            return last[0]
        return last[0]

    return count


def _of_sensors() -> Iterator[Entry]:
    """Yield a meter for each sensor that says `GROWS`, those of plug-ins among them."""
    for sensor in sensors():
        if getattr(sensor, "GROWS", False):
            yield sensor.NAME, sensor.missing, _count_of(sensor)


#: In the order in which they are read: what counts memory first, before the others allocate their
#: answers. What sensors count is read before processes, which leave out those of containers.
_FIRST: Tuple[Entry, ...] = (
    (HEAP, native_heap.missing, native_heap.read),
    (OBJECTS, python_blocks.missing, python_blocks.read),
    ("tracked", python_objects.missing, python_objects.read),
    ("python", python_heap.missing, _python_bytes),
    ("arenas", python_heap.mapped_missing, _mapped_by_python),
    ("descriptors", descriptors.missing, _count_descriptors),
    ("threads", _nothing_missing, _count_threads),
)
_LAST: Tuple[Entry, ...] = (
    ("processes", family.missing, _count_processes),
    ("files", files.missing, temporary_files.count),
    ("segments", shared_memory.missing, _count_segments),
    (CHILD_MEMORY, child_memory.missing, _child_memory),
    ("malloc", heap.mapped_missing, _mapped_by_malloc),
    ("gpu", nvidia.missing, _gpu),
    ("data", _no_proc, _data),
    ("rss", _no_proc, _resident),
)

COSTLY = (
    python_objects.read,
    _python_bytes,
    _gpu,
    _child_memory,
    _service,
)  # and called once a reading

#: What is cheaper for a second reading, and for one amid garbage.
AGAIN: Dict[Read, Read] = {
    python_objects.read: python_objects.read_again,
    _child_memory: _child_memory_again,
}
AMID_GARBAGE: Dict[Read, Read] = {
    python_objects.read: python_objects.read_amid_garbage,
    _child_memory: _child_memory_before,
    _service: _service_before,
}

#: What may go by itself a moment after it was asked to.
FADING = (_count_threads, _count_processes)


@lru_cache(maxsize=None)
def entries() -> Tuple[Entry, ...]:
    """Every meter, in the order in which they are read."""
    asked_for = (
        ((SERVICE, service_count.missing, _service),) if service_count.is_asked_for() else ()
    )
    return (*_FIRST, *_of_sensors(), *_LAST, *asked_for)


class MeterReader:
    """Reads every meter that works here. `missing` says why the others do not."""

    def __init__(self, context: Context) -> None:
        self.missing = {name: missing() for name, missing, _ in entries() if missing()}
        self.names = tuple(name for name, _, _ in entries() if name not in self.missing)
        self.garbage = array("q", [0])  # objects that the last reading found to be garbage
        self._context = context
        self._reads = tuple(read for name, _, read in entries() if name not in self.missing)
        self._again = tuple(AGAIN.get(read, read) for read in self._reads)
        self._amid_garbage = tuple(AMID_GARBAGE.get(read, read) for read in self._reads)
        self._grace = array("d", [GRACE])
        self._stays = array("d", [0.0] * len(self.names))  # of each meter, for each cycle
        for _ in range(2):  # what is taken once, at the first reading, is taken now
            self.read(self.blank())
            self.read_again(self.blank())
            self.read_as_it_is(self.blank())
            self.rest(array("q", [sys.maxsize] * len(self.names)))
            blocked_threads.look()
            if "segments" in self.names:
                shared_memory.warm(context)
        # Workers are read too seldom to be worth it.
        if sys.version_info < (3, 11) and context.guard:
            self._heat(time.process_time() + HEATING)

    def _heat(self, deadline: float) -> None:
        """Call what each reading calls often until it takes nothing more: see CALLS."""
        for _ in range(CALLS):
            for read in self._reads:
                if read not in COSTLY:
                    read(self._context)
            if time.process_time() > deadline:
                break

    def blank(self) -> "array[int]":
        """Room for one reading."""
        return array("q", [0] * len(self.names))

    def read(self, into: "array[int]") -> None:
        """Bring the process to rest, and read."""
        self.garbage[0] = settle()
        self._fill(into, self._reads)

    def read_again(self, into: "array[int]") -> None:
        """Bring the process to rest, and read what is compared with the last reading of `read`."""
        self.garbage[0] = settle()
        self._fill(into, self._again)

    def wait_for(self, seconds: float) -> None:
        """Give threads and processes so long to end, where they need longer than most."""
        if seconds > GRACE:
            self._grace[0] = seconds

    def rest(self, before: "array[int]", cycles: int = 1) -> None:
        """Wait until threads and processes are no more than `before`, or the grace is over: many
        are asked to stop and not waited for. What stayed after an earlier grace is expected to stay
        after as many `cycles` again, and is not waited for: a leak would cost a grace at every
        turn. Nor are threads that wait for a lock for ever.
        """
        pause = FIRST_PAUSE
        waiting: Optional[Deadline] = None
        looked: blocked_threads.Look = None
        while True:
            fading = [
                read
                for index, read in enumerate(self._reads)
                if read in FADING
                and read(self._context) > before[index] + int(self._stays[index] * cycles + 0.5)
            ]
            if not fading:
                break
            waiting = waiting or Deadline(self._grace[0], self._context.guard)
            if waiting.ends_within(pause):
                self._grace[0] = GRACE * IMPATIENT
                self._learn(before, cycles)
                break
            if fading == [_count_threads]:
                earlier, looked = looked, blocked_threads.look()
                if looked is not None and looked == earlier:
                    self._learn(before, cycles)
                    break
            beat()
            time.sleep(pause)
            pause = min(2 * pause, LAST_PAUSE)

    def _learn(self, before: "array[int]", cycles: int) -> None:
        """Note how many threads and processes stay for each cycle."""
        for index, read in enumerate(self._reads):
            if read in FADING:
                self._stays[index] = (read(self._context) - before[index]) / max(1, cycles)

    def read_as_it_is(self, into: "array[int]") -> None:
        """Read without collecting garbage. `objects` counts what the interpreter keeps for its next
        objects, too; `tracked` does not.
        """
        clear_caches()
        heap.trim()
        self._fill(into, self._amid_garbage)

    def values(self, reading: "array[int]") -> Dict[str, int]:
        """{meter: value} of a reading."""
        return dict(zip(self.names, reading))

    def _fill(self, into: "array[int]", reads: Tuple[Read, ...]) -> None:
        for index, read in enumerate(reads):
            into[index] = read(self._context)


def resident() -> int:
    """Bytes of memory that this process occupies now; 0 where that cannot be told cheaply."""
    return _statm(_RESIDENT) if kernel.HAS_PROC else 0


@lru_cache(maxsize=None)
def reader(context: Context) -> MeterReader:
    """Return the reader of this process: made once, so that making it is in no reading."""
    return MeterReader(context)


def read_here() -> Dict[str, object]:
    """The reading of a manager's worker, {"pid", meter: value}: asked for through the manager,
    answered in the worker.
    """
    own = reader(Context(home()))
    reading = own.blank()
    own.read(reading)
    return dict(own.values(reading), pid=os.getpid())
