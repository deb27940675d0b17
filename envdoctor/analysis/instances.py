"""The instances of a scenario, identified by process and serial, because an address is used again
after a free.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from envdoctor.model.errors import one_line
from envdoctor.model.events import RESETS_JOURNALLED
from envdoctor.model.facts import Survivors
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location
from envdoctor.model.records import InnerRecord, InstanceRecord, Record, VerbRecord
from envdoctor.model.scenario import verb_name
from envdoctor.model.trace import Trace

# When an instance was finalized.
BEFORE_CLOSE = "before close"
AT_CLOSE = "at close"
LATER = "later"
AT_DROP = "when dropped"
COLLECTED = "after collection"
NEVER = "never"
LEFT_ALIVE = "left to the exit"  # on purpose, by the scenario
WITH_PROCESS = "with its process"
UNWATCHED = "not known"  # what offers no weak references cannot be watched

MAX_OBJECTS = 20  # innermost objects of one instance that are kept


@dataclass(frozen=True)
class Closing:
    """One close(): `during` is the verb that was being played (empty between two), `error` one
    line or nothing.
    """

    during: str
    error: str = ""


@dataclass(frozen=True)
class Innermost:
    """One object that was the innermost environment. `address_of` is the serial of an earlier,
    other object with the same `id()`; `made_at` is the line of the environment's own that built it
    and `closed_during` the verb in which the environment itself closed it, where that was watched.
    """

    serial: int
    id: int
    address_of: int | None = None
    made_at: Location | None = None
    closed_during: str = ""
    finalized: bool = False


@dataclass(frozen=True)
class Instance:
    """One instance: `resets` are at least so many where `more_resets`. `made_during` and the
    closings name verbs of the script; `address_of` is the serial of an earlier instance of the same
    process that had the same `id()`.
    """

    pid: int
    serial: int
    id: int
    type: str
    worker: bool
    made_during: str
    resets: int
    more_resets: bool
    closings: tuple[Closing, ...]
    finalized: str
    address_of: int | None
    objects: tuple[Innermost, ...]


def instances(trace: Trace) -> tuple[Instance, ...]:
    """Every instance that was built in a scenario, in the order of their making."""
    events: dict[tuple[int, int], list[InstanceRecord]] = {}
    for event in trace.records(InstanceRecord):
        events.setdefault(event.key, []).append(event)
    spans = _spans(trace)
    instances: list[Instance] = []
    for own in events.values():
        made = next((event for event in own if event.what == "made"), None)
        if made is not None:
            instances.append(_instance(made, own, trace, spans, instances))
    return tuple(instances)


Spans = list[tuple[float, float, str]]  # when a verb began, when it ended, its name


def _spans(trace: Trace) -> Spans:
    spans: Spans = []
    for event in trace.records(VerbRecord):
        if event.state == "began":
            spans.append((event.t, float("inf"), verb_name(event.verb)))
        elif spans:
            spans[-1] = (spans[-1][0], event.t, spans[-1][2])
    return spans


def _during(event: Record, spans: Spans) -> str:
    """The verb that was being played at an event, in any process."""
    return next((verb for began, ended, verb in spans if began <= event.t <= ended), "")


def _instance(
    made: InstanceRecord,
    own: list[InstanceRecord],
    trace: Trace,
    spans: Spans,
    earlier: Iterable[Instance],
) -> Instance:
    texts = [event.resets for event in own]
    return Instance(
        pid=made.pid,
        serial=made.serial,
        id=made.id or 0,
        type=made.type,
        worker=not made.parent,
        made_during=_during(made, spans),
        resets=max(texts),
        more_resets=max(texts) >= RESETS_JOURNALLED
        and not any(event.what in ("closing", "finalized") for event in own),
        closings=tuple(_closings(own, spans)),
        finalized=_finalized(made, _end(made, own, trace), own, trace, spans),
        address_of=_last(
            [
                instance.serial
                for instance in earlier
                if (instance.pid, instance.id) == (made.pid, made.id)
                and instance.finalized != NEVER
            ]
        ),
        objects=tuple(_objects(own, trace, spans)),
    )


def _closings(own: Iterable[InstanceRecord], spans: Spans) -> Iterator[Closing]:
    """Each close(), with the error that it raised: the next event of the same instance."""
    began: InstanceRecord | None = None
    for event in own:
        if event.what == "closing":
            # Closed again before the first one came back, or it never came back.
            if began is not None:
                yield Closing(_during(began, spans))
            began = event
        elif event.what in ("closed", "close-raised") and began is not None:
            yield Closing(
                _during(began, spans), one_line(event.error) if event.what == "close-raised" else ""
            )
            began = None
    if began is not None:
        yield Closing(_during(began, spans), "it did not return")


def _end(
    made: InstanceRecord, own: list[InstanceRecord], trace: Trace
) -> InstanceRecord | InnerRecord | None:
    """The end of the last object that was its innermost one."""
    last = next(
        (
            event.base
            for event in reversed(own)
            if event.base is not None and event.what != "finalized"
        ),
        None,
    )
    if last in (None, made.base):
        return next((event for event in own if event.what == "finalized"), None)
    return next(
        (
            event
            for event in trace.records(InnerRecord, what="finalized", base=last)
            if event.pid == made.pid
        ),
        None,
    )


def _finalized(
    made: InstanceRecord,
    end: InstanceRecord | InnerRecord | None,
    own: Iterable[InstanceRecord],
    trace: Trace,
    spans: Spans,
) -> str:
    if end is None:
        if made.watched is False:
            return UNWATCHED
        return (
            WITH_PROCESS
            if not made.parent
            else LEFT_ALIVE
            if trace.scenario.leaves_alive
            else NEVER
        )
    if _during(end, spans) == "drop" and made.parent:
        survived = {serial for fact in trace.facts(Survivors) for serial in fact.serials}
        return COLLECTED if made.serial in survived else AT_DROP
    if not any(event.what == "closing" and event.t <= end.t for event in own):
        return BEFORE_CLOSE
    return AT_CLOSE if _during(end, spans) in ("close", "make", "relaunch") else LATER


def _objects(own: Iterable[InstanceRecord], trace: Trace, spans: Spans) -> Iterator[Innermost]:
    """The innermost objects that an instance had, one after the other: mostly one."""
    known: dict[int, InstanceRecord] = {}
    for event in _looks_inside(list(own)):
        if event.base is not None:
            known.setdefault(event.base, event)
    pid = next(iter(own)).pid
    inner = [event for event in trace.records(InnerRecord) if event.pid == pid]
    ended = {record.base for record in inner if record.what == "finalized"}
    ended |= {
        record.base for record in own if record.what == "finalized" and record.base is not None
    }
    closed = {event.base: _during(event, spans) for event in inner if event.what == "closed"}
    made = {
        event.base: Location.at(event.frame) if event.frame else None
        for event in inner
        if event.what == "made"
    }
    at: dict[int, int] = {}
    for number, event in list(known.items())[:MAX_OBJECTS]:
        yield Innermost(
            number,
            event.id or 0,
            at.get(event.id or 0),
            made.get(number),
            closed.get(number, ""),
            number in ended,
        )
        at[event.id or 0] = number


def _looks_inside(own: list[InstanceRecord]) -> list[InstanceRecord]:
    """The events, where one of DI-engine's keeps an environment those that speak of it, in its
    name.
    """
    inside = [
        replace(event, base=event.real, id=event.real_id) for event in own if event.real is not None
    ]
    return inside or own


def _last(serials: list[int]) -> int | None:
    return serials[-1] if serials else None
