"""A trace: one scenario's journal, readings and outcome, as values."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
    Type,
    TypeVar,
    Union,
    overload,
)

from envdoctor.model.errors import one_line
from envdoctor.model.events import Event
from envdoctor.model.facts.decoding import Fact
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import (
    AnyRecord,
    InstanceRecord,
    ReadingRecord,
    Record,
    VerbRecord,
    decode,
)
from envdoctor.model.scenario import Scenario, verb_name
from envdoctor.model.waits import Wait

F = TypeVar("F", bound=Fact)
T = TypeVar("T")

# How a scenario can end. Each way to die is its own outcome.
FINISHED = "finished"  # every verb was played; single verbs may have raised
EXITED = "exited"  # the probe's process exited by itself with `exit_code`
SIGNALLED = "signalled"  # the probe's process was killed by `signal`
TIMED_OUT = "timed-out"  # `verb` passed its deadline; `stacks` were taken, then the probe was ended
OUT_OF_MEMORY = "out-of-memory"  # over the ceiling, or the kernel's killer came
LOST = "lost"  # the doctor cannot say what happened: `reason`
INTERRUPTED = "interrupted"  # the user ended the run
OUTCOMES = (FINISHED, EXITED, SIGNALLED, TIMED_OUT, OUT_OF_MEMORY, LOST, INTERRUPTED)


@dataclass(frozen=True)
class Outcome:
    """The end of a scenario. `verb` and `at` say what was being played when it did not finish.
    `starved` is one that was lost because a busy machine kept that call from running, and `own` one
    in which a search or a reading of the doctor's own took too long. `waits` is what the threads of
    its processes waited for where it hung; `computed` says that they ran for most of the call.
    """

    kind: str
    seconds: float = 0.0
    verb: str = ""
    at: Optional[int] = None
    exit_code: Optional[int] = None
    signal: str = ""
    reason: str = ""
    stacks: str = ""
    stderr: str = ""
    starved: bool = False
    own: bool = False
    waits: Tuple[Wait, ...] = ()
    computed: bool = False


@dataclass(frozen=True)
class Life:
    """From one make to the drop: the readings of one instance's (or one manager's) life, by
    point.
    """

    number: int
    readings: Mapping[str, Mapping[str, object]]

    def at(self, point: str) -> Mapping[str, object]:
        """Return each sensor's reading at a point; empty where none was read."""
        return self.readings.get(point, {})

    def by_key(self, sensor: str, point: str) -> Mapping[str, str]:
        """Return a sensor's entries at a point, by key; empty where it was not read."""
        reading = self.readings.get(point, {}).get(sensor)
        return reading if isinstance(reading, Mapping) else {}

    def left(self, sensor: str, point: str, since: str = "before") -> Dict[str, str]:
        """Return the entries of `sensor` at `point` that were not there at `since`: {key:
        description}. Empty if either reading is missing.
        """
        earlier = self.readings.get(since, {}).get(sensor)
        later = self.readings.get(point, {}).get(sensor)
        if not isinstance(earlier, Mapping) or not isinstance(later, Mapping):
            return {}
        return {key: text for key, text in later.items() if earlier.get(key) != text}

    def has(self, sensor: str, point: str) -> bool:
        """Return True if `sensor` was read before the life and at `point`."""
        return sensor in self.readings.get("before", {}) and sensor in self.readings.get(point, {})

    def change(self, sensor: str, since: str, until: str) -> Optional[int]:
        """Return how much a counting sensor rose between two points, or None if it was not read."""
        earlier = self.readings.get(since, {}).get(sensor)
        later = self.readings.get(until, {}).get(sensor)
        if isinstance(earlier, int) and isinstance(later, int):
            return later - earlier
        return None


@dataclass(frozen=True)
class LastWords:
    """The exit of a probe that ended by itself: its exit code, which is negative for a signal, its
    standard error, and its stacks.
    """

    code: int = 0
    stderr: Optional[str] = None
    stacks: Optional[str] = None


@dataclass(frozen=True)
class Trace:
    """The record of one scenario. `aftermath` is what the doctor saw from outside once the probe's
    processes had to be gone: {"processes": {pid: text}, "files": {path: text}, "memory": {name:
    text}, "exit": {"code": text, "stderr", "stacks"}}; only filled when a probe ended, and `exit`
    only when it did so by itself: negative codes are signals.
    """

    scenario: Scenario
    outcome: Outcome
    events: Tuple[Event, ...] = ()
    aftermath: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        scenario: Scenario,
        outcome: Outcome,
        records: Sequence[Tuple[Event, Optional[Record]]],
        aftermath: Mapping[str, Mapping[str, str]],
    ) -> "Trace":
        """The trace of events that were decoded when they were read, and need not be again; None
        stands for a record where one was not.
        """
        trace = cls(scenario, outcome, tuple(event for event, _ in records), aftermath)
        by_kind: Dict[str, List[Optional[Record]]] = {}
        for event, record in records:
            by_kind.setdefault(event["event"], []).append(record)
        for same in by_kind.values():
            kind = type(same[0])
            if same[0] is not None and kind is not Record and {*map(type, same)} == {kind}:
                trace._decoded[kind] = tuple(same)
        return trace

    def of(self, kind: str, **where: object) -> Iterator[Event]:
        """Events of one kind whose keys equal `where`, in order."""
        for _, event in self._by_kind.get(kind, ()):
            if all(event.get(key) == value for key, value in where.items()):
                yield event

    def records(self, kind: Type[AnyRecord], **where: object) -> Iterator[AnyRecord]:
        """Events of one kind as values, whose attributes equal `where`, in order."""
        if kind not in self._decoded:
            events = self._by_kind.get(kind.KIND, ())
            self._decoded[kind] = tuple(decode(kind, index, event) for index, event in events)
        return (
            record
            for record in self._decoded[kind]
            if all(getattr(record, key) == value for key, value in where.items())
        )

    @cached_property
    def _by_kind(self) -> Dict[str, List[Tuple[int, Event]]]:
        """Its events and their places in the journal: rules ask often."""
        by_kind: Dict[str, List[Tuple[int, Event]]] = {}
        for index, event in enumerate(self.events):
            by_kind.setdefault(event["event"], []).append((index, event))
        return by_kind

    def times(self, pid: Optional[int] = None) -> Tuple[float, ...]:
        """Return the times of all events, or of those of one process, in order."""
        return tuple(
            float(event["t"]) for event in self.events if pid is None or event["pid"] == pid
        )

    def instances(self, what: str, **where: object) -> Set[Tuple[int, int]]:
        """(pid, serial) of the instances that have such an event."""
        return {record.key for record in self.records(InstanceRecord, what=what, **where)}

    @overload
    def fact(self, kind: Type[F]) -> Optional[F]: ...

    @overload
    def fact(self, kind: str, default: object = None) -> Any: ...

    def fact(self, kind: Union[str, Type[F]], default: object = None) -> object:
        """The last fact of a kind: a dataclass of `envdoctor.model.facts`, or a key, whose value is
        then as the journal has it. The default where there is none.
        """
        facts = self.facts(kind)
        return facts[-1] if facts else default

    @overload
    def facts(self, kind: Type[F]) -> Tuple[F, ...]: ...

    @overload
    def facts(self, kind: str) -> List[Any]: ...

    def facts(self, kind: Union[str, Type[F]]) -> Sequence[object]:
        """Every fact of a kind, in order."""
        if isinstance(kind, str):
            return [event["value"] for event in self.of("fact", key=kind)]
        if kind not in self._decoded:
            self._decoded[kind] = tuple(kind.decode(value) for value in self.facts(kind.KEY))
        return self._decoded[kind]

    def read_once(self, kind: Type[T], read: Callable[[Trace], Optional[T]]) -> Optional[T]:
        """Return what `read` makes of this trace; remembered as its value of this kind."""
        if kind not in self._decoded:
            self._decoded[kind] = (read(self),)
        return self._decoded[kind][0]  # type: ignore[no-any-return]

    @cached_property
    def _decoded(self) -> Dict[type, Tuple[Any, ...]]:
        """The records and facts that were asked for so far: rules ask often."""
        return {}

    def verbs(self, name: str, state: Optional[str] = None) -> List[VerbRecord]:
        """Events of the verb `name` (without argument) in one state, or all."""
        records = self._verbs_by_name.get(name, ())
        return [record for record in records if state in (None, record.state)]

    @cached_property
    def _verbs_by_name(self) -> Dict[str, List[VerbRecord]]:
        """Rules ask often."""
        by_name: Dict[str, List[VerbRecord]] = {}
        for record in self.records(VerbRecord):
            by_name.setdefault(verb_name(record.verb), []).append(record)
        return by_name

    @property
    def left_processes(self) -> Mapping[str, str]:
        """The processes that were still there when the probe had ended: {pid: text}."""
        return self.aftermath.get("processes") or {}

    @property
    def left_files(self) -> Optional[Mapping[str, str]]:
        """The files that were still there when the probe had ended: {path: text}; None where that
        was not seen.
        """
        return self.aftermath.get("files")

    @property
    def last_words(self) -> Optional[LastWords]:
        """The probe's exit; None where it did not exit, or had to be ended."""
        entry = self.aftermath.get("exit") if self.outcome.kind == FINISHED else None
        return (
            LastWords(int(entry.get("code") or 0), entry.get("stderr"), entry.get("stacks"))
            if entry
            else None
        )

    def reached(self, name: str) -> bool:
        """Return True if the verb `name` ended, well or not."""
        return any(record.state != "began" for record in self.verbs(name))

    def hung_in(self, name: str) -> bool:
        """Return True if the scenario was ended because the verb `name` passed its deadline."""
        return self.outcome.kind == TIMED_OUT and verb_name(self.outcome.verb) == name

    @property
    def cut_short(self) -> str:
        """The reason why it ended before it was done, or nothing."""
        end = self.outcome
        if end.kind in (TIMED_OUT, LOST) and end.reason:
            return "it was not played to its end: %s" % end.reason
        if end.kind != FINISHED:
            how = "%s ended the process" % end.signal if end.signal else "the process ended"
            return end.reason or "%s in %s" % (how, verb_name(end.verb) or self.scenario.name)
        raised = next(self.records(VerbRecord, state="raised"), None)
        if raised is None:
            return ""
        frame = raised.error.user_frame if raised.error else None
        where = " at %s:%s in %s" % (frame.file, frame.line, frame.function) if frame else ""
        return "%s raised %s%s" % (verb_name(raised.verb), one_line(raised.error), where)

    @cached_property
    def lifecycles(self) -> Tuple[Life, ...]:
        """Its lives, in order."""
        readings: Dict[int, Dict[str, Mapping[str, object]]] = {}
        for record in self.records(ReadingRecord):
            readings.setdefault(record.life, {})[record.point] = record.sensors
        return tuple(Life(number, points) for number, points in sorted(readings.items()))
