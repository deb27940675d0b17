"""The journal's events as typed values: see `model/events.py` for what each of them means."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Dict, Iterable, Mapping, Optional, Tuple, Type, TypeVar, Union

from envdoctor.model.errors import AS_WRITTEN, Acquisition, ErrorValue, Frame, Wire
from envdoctor.model.facts import fits
from envdoctor.model.facts.decoding import decoded, key
from envdoctor.model.fast_dataclass import dataclass

#: What each sensor saw: a number, or what there was by key.
Reading = Mapping[str, Union[float, Mapping[str, str]]]


@dataclass(frozen=True)
class Record:
    """The fields of every event: its kind, `t` in seconds of CLOCK_MONOTONIC, and the process that
    wrote it; `index` is its place in the journal.
    """

    KIND: ClassVar[str] = ""

    kind: str = field(compare=False, repr=False, metadata=key("event"))
    t: float
    pid: int
    index: int = field(compare=False)


AnyRecord = TypeVar("AnyRecord", bound=Record)


def decode(kind: Type[AnyRecord], index: int, event: Wire) -> AnyRecord:
    """The record of a line of the journal. Keys that it does not know are left out. Raises
    ValueError for one that is missing, or has another type.
    """
    return decoded(kind, event, index=index)


def record_of(value: object, index: int = 0) -> Optional[Record]:
    """The record of a JSON value at a place in the journal, or None where it is not an event that
    can be read as its kind is read. The probe shares its process with code that may write anywhere,
    and a process that is killed leaves half a line: what is not an event is left out before it is
    read.
    """
    if not isinstance(value, dict) or not isinstance(value.get("event"), str):
        return None
    try:
        record = decode(_KINDS.get(value["event"], Record), index, value)
    except (ValueError, RecursionError):
        return None
    return record if not isinstance(record, FactRecord) or fits(record.key, record.value) else None


def records_of(kind: Type[AnyRecord], events: Iterable[Wire]) -> Tuple[AnyRecord, ...]:
    """The events of one kind as values, in order."""
    return tuple(
        decode(kind, index, event)
        for index, event in enumerate(events)
        if event["event"] == kind.KIND
    )


class Counted:
    """Counts of operations ("create", "reset", "step", ...), and of those that raised."""

    wire: Wire

    def calls(self, operation: str) -> int:
        """Return how often an operation ran."""
        return self._number("%ss" % operation)

    def failures(self, operation: str) -> int:
        """Return how often an operation raised."""
        return self._number("%s_raised" % operation)

    def _number(self, key: str) -> int:
        number = self.wire.get(key)
        return number if isinstance(number, int) else 0


@dataclass(frozen=True)
class Uncollected:
    """Readings before the collector ran, which was off during a block; it took `garbage` objects
    apart itself.
    """

    after: Mapping[str, int] = field(default_factory=dict)
    garbage: int = 0


@dataclass(frozen=True)
class Span:
    """Readings of each meter at rest, before and after something; `uncollected` where the collector
    waited for the end.
    """

    before: Mapping[str, int]
    after: Mapping[str, int]
    uncollected: Optional[Uncollected] = None


@dataclass(frozen=True)
class WorkerSpan(Span):
    """The readings of one worker."""

    pid: int = 0


@dataclass(frozen=True)
class PlayedBlock(Span, Counted):
    """Cycles between two readings, as many as there were calls, and what it took. Of each container
    that is watched: by how many elements it `grew`, and by how many bytes without those (`sizes`).
    """

    seconds: float = 0.0
    workers: Tuple[WorkerSpan, ...] = ()
    grew: Tuple[int, ...] = ()
    sizes: Tuple[int, ...] = ()
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class Fill:
    """Transitions that were added to a replay storage, in bytes of an observation; by how much each
    meter `rose` since before the first, and what only the collector gave back (`collected`).
    """

    stored: int = 0
    kept: int = 0
    seconds: float = 0.0
    observation: int = 0
    rose: Mapping[str, int] = field(default_factory=dict)
    collected: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class RandomStates:
    """Digests of the states of global random generators before and after a call."""

    before: Mapping[str, str] = field(default_factory=dict)
    after: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class EpisodeEnd:
    """At which step one episode ended, and how: "terminated", "truncated" or "done"."""

    step: int
    how: str = ""


@dataclass(frozen=True)
class VerbRecord(Record, Counted):
    """A verb that "began", "ended" or "raised". `resets` is how often the instance had been reset
    when a reset of it began. Of `steps` without a manager, so many were `ends` of episodes.
    """

    KIND = "verb"

    verb: str
    state: str
    at: int = 0
    seconds: float = 0.0
    steps: int = 0
    ends: int = 0
    cycles: int = 0
    cycle_seconds: float = 0.0
    create_seconds: Optional[float] = None
    reset_seconds: float = 0.0
    step_seconds: float = 0.0
    block: Optional[PlayedBlock] = None
    error: Optional[ErrorValue] = None
    episode: Optional[int] = None
    step: Optional[int] = None
    episodes: Tuple[EpisodeEnd, ...] = ()
    instances: int = 0
    bound: str = ""
    collections: Tuple[Frame, ...] = ()
    cut: int = 0
    filled: Optional[Fill] = None
    resets: Optional[int] = None
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class InstanceRecord(Record):
    """An event of one instance, which (pid, serial) identifies. Where it is a shallow copy, a
    thread runs the method `thread_of` of its original.
    """

    KIND = "instance"

    what: str
    serial: int
    id: Optional[int] = None
    base: Optional[int] = None
    parent: Optional[bool] = None
    error: Optional[ErrorValue] = None
    resets: int = 0
    type: str = ""
    watched: Optional[bool] = None
    random: Optional[RandomStates] = None
    real: Optional[int] = None
    real_id: Optional[int] = None
    seconds: Optional[float] = None
    seed: Optional[int] = None
    thread_of: str = ""

    @property
    def key(self) -> Tuple[int, int]:
        """(pid, serial)."""
        return (self.pid, self.serial)


@dataclass(frozen=True)
class InnerRecord(Record):
    """An object of the watched class was made, closed or finalized."""

    KIND = "inner"

    what: str
    base: int
    id: int
    frame: Optional[Frame] = None


@dataclass(frozen=True)
class UnraisableRecord(Record):
    """An error that Python printed, and went on."""

    KIND = "unraisable"

    what: str
    where: str
    error: Optional[ErrorValue] = None


@dataclass(frozen=True)
class AcquisitionRecord(Record):
    """A line of the user's took a descriptor, thread, process, file or port."""

    KIND = "acquisition"

    what: str
    target: str
    frame: Optional[Frame] = None
    verb: str = ""

    @property
    def acquisition(self) -> Optional[Acquisition]:
        """The acquired resource and its place; None where no line is known."""
        return Acquisition(self.target, self.frame, self.verb) if self.frame else None


@dataclass(frozen=True)
class EffectRecord(Record):
    """A line of the user's changed what belongs to the whole process."""

    KIND = "effect"

    sensor: str
    key: str
    old: object = None
    new: object = None
    frame: Optional[Frame] = None


@dataclass(frozen=True)
class WorkersRecord(Record):
    """The manager's workers after launch, in the order in which they were started."""

    KIND = "workers"

    pids: Tuple[int, ...]


@dataclass(frozen=True)
class WorkerExitRecord(Record):
    """The end of a worker; a negative code is a signal. Where a call hangs, that of any child which
    was not waited for, with its `name`.
    """

    KIND = "worker-exit"

    pid_of_worker: int
    code: Optional[int] = None
    name: str = ""


@dataclass(frozen=True)
class ReadingRecord(Record):
    """The readings of all sensors at a point of a life."""

    KIND = "reading"

    point: str
    life: int
    sensors: Reading

    def has(self, sensor: str) -> bool:
        """Return True if a sensor listed its entries by key."""
        return isinstance(self.sensors.get(sensor), Mapping)

    def by_key(self, sensor: str) -> Mapping[str, str]:
        """Return a sensor's entries by key; empty where it was not read."""
        reading = self.sensors.get(sensor)
        return reading if isinstance(reading, Mapping) else {}


@dataclass(frozen=True)
class CycleErrorRecord(Record):
    """An operation that raised in a repeated cycle."""

    KIND = "raised"

    operation: str
    error: Optional[ErrorValue] = None
    episode: Optional[int] = None
    step: Optional[int] = None


@dataclass(frozen=True)
class ScenarioRecord(Record):
    """A scenario "began" or "ended", with the sensors whose readings did not come back; or the
    probe's own code "failed", and why.
    """

    KIND = "scenario"

    state: str
    dirty: Tuple[str, ...] = ()
    seconds: Optional[float] = None
    why: str = ""


@dataclass(frozen=True)
class FactRecord(Record):
    """A verb's result: the value of a fact (`model/facts/`) by its key."""

    KIND = "fact"

    key: str
    value: object


@dataclass(frozen=True)
class WatchedRecord(Record):
    """A message of a process in a watched training."""

    KIND = "watched"

    what: str


#: Each kind of event that is known; of another one, only what every event has.
_KINDS: Dict[str, Type[Record]] = {kind.KIND: kind for kind in Record.__subclasses__()}
