"""Readings of the sensors at the points of a life, and the grace for things that are closing."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any, Collection, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from envdoctor.model.container_clients import SENSOR as ENGINE_CONTAINERS
from envdoctor.probe.growth.settle import settle
from envdoctor.probe.journal import Journal
from envdoctor.probe.sensors import (
    Sensors,
    available,
    descriptors,
    native_heap,
    of_process,
    python_blocks,
    shared_memory,
    stdout,
    threads,
)
from envdoctor.probe.system import blocked_threads, room
from envdoctor.probe.system.deadline import Deadline, Stopwatch

#: What a life must give back; the next scenario is played in a new process when one of them does
#: not.
HANDLES = (
    "descriptors",
    "threads",
    "processes",
    "zombies",
    "ports",
    "shared-memory",
    ENGINE_CONTAINERS,
)
ALTERED = ("signals", "directory")

#: What a simulator is, where it is more than memory.
RUNNING = ("processes", "threads", "ports")

# Seconds that threads and processes get to end after close() returned: many are asked to stop, not
# waited for.
HELD_GRACE = 1.0
AFTERWARDS = 20.0  # seconds for what close() began to end: `docker stop` takes 10
LAST_PAUSE = 0.5  # seconds between two looks
COLLECTED_GRACE = 2.0  # seconds after the last reference went; a Java machine needs 1.5
IMPATIENT = 0.1  # of the grace
FIRST_PAUSE = 0.005  # seconds; doubles
BLOCK = 64  # bytes; what a Python object is counted as where only blocks are known

#: The points of a life before its close().
OPEN_POINTS = ("made", "reset", "stepped", "rendered")

#: Sensors that no reading of a life asks: to count every object takes longer than all the rest, and
#: says nothing but at rest.
UNREAD = ("python-objects",)


class Readings:
    """Reads the sensors at the points of each life and journals them. `life` counts from 0.

    Only in the `judged_life` the whole grace is waited out: elsewhere it decides no more than
    whether the process is dirty, and `patience` is the share of it that is waited; none of it after
    the last reference went, where the file `stays` is there. A judged life makes that file where
    something stayed.
    """

    def __init__(
        self,
        journal: Journal,
        sensors: Sensors,
        judged_life: Optional[int],
        patience: float = IMPATIENT,
        stays: str = "",
    ) -> None:
        self.journal = journal
        self.sensors = sensors
        self.judged_life = judged_life
        self.patience = patience
        self.stays = stays
        self.life = 0
        self._names = frozenset(
            name for name, reason in available().items() if not reason
        ) - frozenset(UNREAD)
        self._before: Optional[Dict[str, Any]] = None
        self._last: Optional[Dict[str, object]] = None
        self._held: Optional[Dict[str, object]] = None
        self._before_close: Dict[str, Any] = {}  # the last reading before close()
        self._since_close = Stopwatch(sensors.context.guard)
        self._dirty: List[str] = []
        self._size: Optional[int] = None  # of standard output, when it was last read

    def begin(self) -> None:
        """Read what is there before a life."""
        self._before_close = {}
        self._before = self.take("before")

    def take(self, point: str) -> Dict[str, object]:
        """Read every sensor and journal it."""
        reading = self._journal(point, self._read())
        if point in OPEN_POINTS:
            self._before_close = reading
        return reading

    def effects(self, names: Collection[str] = ()) -> Dict[str, Any]:
        """A reading of what belongs to the whole process, not journalled: of the sensors in
        `names`, or of all.
        """
        return self.sensors.read_all(names or of_process())

    def take_effects(self, point: str) -> None:
        """Read what belongs to the whole process and journal it."""
        self._journal(point, self.effects())

    def held(self) -> None:
        """Read what a closed environment still has, after the grace."""
        self._since_close = Stopwatch(self.sensors.context.guard)
        self._held = self._journal("held", self._read_with_grace(HELD_GRACE))

    def heap_has_risen(self, least: int) -> bool:
        """Return whether the C allocator's bytes rose by so many from before a judged life to its
        close.
        """
        if self.life != self.judged_life or self._before is None or self._held is None:
            return False
        before, now = self._before.get(native_heap.NAME), self._held.get(native_heap.NAME)
        return isinstance(before, int) and isinstance(now, int) and now - before >= least

    def collected(self) -> None:
        """Collect garbage, then read what is left, after the grace."""
        settle()
        patience = 0.0 if self.stays and os.path.exists(self.stays) else self.patience
        reading = self._read_with_grace(COLLECTED_GRACE, patience)
        if self.stays and self.life == self.judged_life and self._fading(reading):
            with contextlib.suppress(OSError):  # the disk is full: later lives wait
                open(self.stays, "w").close()
        self._journal("collected", reading)
        self._last = self._afterwards(reading)

    def _afterwards(self, reading: Dict[str, Any]) -> Dict[str, object]:
        """The reading, or a later one where close() began something that may stop the rest: what
        ends with it is journalled, with what ran only meanwhile, and after how many seconds.
        """
        if self.life != self.judged_life or not self._began_in_close(reading):
            return reading
        waiting = Deadline(AFTERWARDS, self.sensors.context.guard)
        pause, later = FIRST_PAUSE, reading
        listed = {name: dict(reading[name]) for name in HANDLES[1:] if _is_read(name, reading)}
        while self._may_fade(later) and not waiting.ends_within(pause):
            time.sleep(pause)
            pause = min(2 * pause, LAST_PAUSE)
            later = self._read()
            for name in filter(lambda name: _is_read(name, later), listed):
                listed[name].update(later[name])
        ended = {
            name: {key: text for key, text in things.items() if key not in later[name]}
            for name, things in listed.items()
            if _is_read(name, later)
        }
        value = {"life": self.life, "seconds": self._since_close.seconds(), "ended": ended}
        self.journal.write("fact", key="afterwards", value=value)
        return later

    def _began_in_close(self, reading: Mapping[str, Any]) -> bool:
        """Return whether a process or a thread is there that was not before close()."""
        return any(
            key not in (self._before_close.get(name) or {})
            for name in ("processes", threads.NAME)
            if isinstance(reading.get(name), dict) and name in self._before_close
            for key in reading[name]
        )

    def running(self) -> Dict[str, object]:
        """Return what runs now and did not before the life, by sensor, after a grace."""
        reading, before = self._read_with_grace(HELD_GRACE), self._before or {}
        return {
            name: {
                key: text for key, text in now.items() if (before.get(name) or {}).get(key) != text
            }
            for name in RUNNING
            for now in [reading.get(name)]
            if isinstance(now, dict)
        }

    def things(self) -> Set[Tuple[str, str, str]]:
        """Return the things of the kinds that a life may acquire: sensor, key and text of each."""
        reading = self.sensors.read_all((*HANDLES, "files"))
        return {
            (name, str(key), str(text))
            for name, things in reading.items()
            if isinstance(things, dict)
            for key, text in things.items()
        }

    def pinned(self) -> int:
        """Return the number of descriptors that were not there before the life: those that a closed
        manager of workers still keeps.
        """
        now = self._reading_of(descriptors.NAME)
        before = (self._before or {}).get(descriptors.NAME)
        return (
            len(set(now) - set(before)) if isinstance(now, dict) and isinstance(before, dict) else 0
        )

    def memory_in_use(self) -> int:
        """Bytes in Python's blocks (estimated) and in the native heap (exact where the
        allocator tells).
        """
        blocks, heap = self._reading_of(python_blocks.NAME), self._reading_of(native_heap.NAME)
        return (blocks if isinstance(blocks, int) else 0) * BLOCK + (
            heap if isinstance(heap, int) else 0
        )

    def _reading_of(self, name: str) -> object:
        """The reading of one sensor; None where it does not work here."""
        return self.sensors.read_all((name,)).get(name)

    def note_memory(self) -> None:
        """Journal the shared memory that is in use now. Its name does not tell whose it is once it
        is unmapped, or once the process that mapped it has crashed, and nothing else would remove
        it.
        """
        memory = self._reading_of(shared_memory.NAME)
        if memory:
            self.journal.write("fact", key="shared-memory", value=memory)

    def note_dirty(self, why: str) -> None:
        """Remember that this process must not serve another scenario."""
        self._dirty.append(why)

    def dirty(self, altered: Sequence[str] = ALTERED) -> List[str]:
        """The sensors whose last life did not give back what it took, those in `altered` whose
        reading changed, and what was noted.
        """
        if self._before is None or self._last is None:
            return list(self._dirty)
        left = [name for name in HANDLES if self._has_more(name, self._last)]
        changed = [name for name in altered if self._before.get(name) != self._last.get(name)]
        return self._dirty + left + changed

    def _read_with_grace(self, grace: float, patience: Optional[float] = None) -> Dict[str, object]:
        """Read until nothing more than before is there that may go, or the grace is over. A healthy
        environment waits for nothing, and one whose threads wait for a lock for ever hardly.
        """
        patience = self.patience if patience is None else patience
        patience = 1.0 if self.life == self.judged_life else patience
        pause, reading = FIRST_PAUSE, self._read()
        if self._before is None or not self._may_fade(reading):
            return reading
        waiting = Deadline(grace * patience, self.sensors.context.guard)
        looked: blocked_threads.Look = None
        while self._may_fade(reading) and not waiting.ends_within(pause):
            if self._fading(reading) == [threads.NAME]:
                earlier, looked = looked, blocked_threads.look()
                if looked is not None and looked == earlier:
                    break
            time.sleep(pause)
            pause *= 2
            reading = self._read()
        return reading

    def _read(self) -> Dict[str, Any]:
        with room.made():  # what could not be read before a life would seem to be left by it
            return self.sensors.read_all(self._names)

    def _may_fade(self, reading: Mapping[str, object]) -> bool:
        """Descriptors alone are closed or they are not: only what lives by itself is worth
        waiting for.
        """
        return bool(self._fading(reading))

    def _fading(self, reading: Mapping[str, object]) -> List[str]:
        """The sensors of what lives by itself that see more than before the life."""
        return [name for name in HANDLES[1:] if self._has_more(name, reading)]

    def _has_more(self, name: str, reading: Mapping[str, object]) -> bool:
        before, now = (self._before or {}).get(name), reading.get(name)
        if not isinstance(before, dict) or not isinstance(now, dict):
            return False
        return any(before.get(key) != text for key, text in now.items())

    def _journal(self, point: str, reading: Dict[str, object]) -> Dict[str, object]:
        self.journal.write("reading", point=point, life=self.life, sensors=reading)
        self._tell_printed(point, stdout.size_in(reading.get(stdout.NAME)))
        return reading

    def _tell_printed(self, point: str, size: Optional[int]) -> None:
        if size is not None and self._size is not None and size > self._size:
            text = stdout.written(self.sensors.context, self._size, size)
            self.journal.write(
                "fact", key="printed", value=dict(text, at=self._size, life=self.life, point=point)
            )
        self._size = size


def _is_read(name: str, reading: Mapping[str, object]) -> bool:
    """Return whether a sensor listed things in a reading."""
    return isinstance(reading.get(name), dict)
