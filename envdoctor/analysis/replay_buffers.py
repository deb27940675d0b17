"""Replay storages that were filled, as rules and reports describe them: from their traces. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from envdoctor.model import meters
from envdoctor.model.facts import EmptiedStorage, KeptTransitions, PastCapacity, StorageForecast
from envdoctor.model.finding import Skipped
from envdoctor.model.records import Fill
from envdoctor.model.report import StorageReport
from envdoctor.model.trace import Trace
from envdoctor.model.units import size

FORECAST, NAME = "storage-forecast", "storage"  # scenarios
SHARED = "/dev/shm"  # noqa: S108  a name, not a place to write to
NONE = "none"  # the storage that keeps nothing

#: What limits how many are stored, and the words for it.
MEMORY, TIME = "memory", "time"
REASONS = {
    MEMORY: ": more would take too much of the memory that is free",
    TIME: ": more would take longer than --time-budget allows",
}

FLAT, GROWS, UNDECIDED = "flat", "grows", "undecided"
# Bytes of a whole storage, below which what is measured says more of pages than of transitions.
LEAST_MEASURED = 1 << 16
STEADY = 0.5  # the least growth of a turn, as a share of the most
TURNS = 3  # that must grow


def name_of(trace: Trace) -> str:
    """The storage that a scenario fills."""
    return str(trace.scenario.option("storage"))


def beside(trace: Trace) -> str:
    """The storage for whose sake a scenario without one was played."""
    return str(trace.scenario.option("beside"))


def room_of(forecast: StorageForecast, memory: int) -> int:
    """Bytes that are free where a storage of this kind lies: in memory, and for shared memory
    no more than its file system has.
    """
    shared = forecast.rooms.get(SHARED)
    return min(memory, shared) if forecast.place == "shared" and shared is not None else memory


def asked_of(trace: Trace) -> int:
    """The capacity that a forecast is for."""
    return int(trace.scenario.script.partition(":")[2])


def skipped(subject: str, traces: Iterable[Trace]) -> tuple[Skipped, ...]:
    """The storages that were not filled, with the reason."""
    return tuple(
        Skipped("", subject, report.storage, report.missing)
        for report in summarise(traces)
        if report.missing
    )


def summarise(traces: Iterable[Trace]) -> tuple[StorageReport, ...]:
    """One report for each storage that was asked for."""
    own = [
        trace for trace in traces if not trace.scenario.control and name_of(trace) not in ("", NONE)
    ]
    names = dict.fromkeys(name_of(trace) for trace in own)
    return tuple(
        _report(name, [trace for trace in own if name_of(trace) == name]) for name in names
    )


def _report(name: str, traces: Sequence[Trace]) -> StorageReport:
    asked, forecast = asked_of(traces[0]), traces[0].fact(StorageForecast) or StorageForecast()
    missing = forecast.missing or forecast.refused
    known: dict[str, Any] = {
        "class_name": forecast.class_name,
        "place": forecast.place,
        "parts": forecast.parts,
        "rooms": forecast.rooms,
    }
    if missing or len(traces) < 2:
        return StorageReport(
            name, asked, missing=missing or traces[0].cut_short or "not played", **known
        )
    filled = traces[-1]
    capacity = int(filled.verbs("stock")[0].verb.partition(":")[2]) if filled.verbs("stock") else 0
    known |= _measurements(filled, capacity, forecast.bytes)
    return StorageReport(
        name,
        asked,
        capacity=capacity,
        reduced=_reduced(asked, capacity, forecast.bytes, filled),
        ended=filled.cut_short,
        **known,
    )


def _reduced(asked: int, capacity: int, each: int, filled: Trace) -> str:
    """Return the reason why it was filled with fewer than its capacity, or nothing."""
    if capacity >= asked:
        return ""
    limit = REASONS.get(str(filled.scenario.option("limit")), "")
    return f"filled with {capacity:,} of {asked:,}, {size(capacity * each)}" + limit


def _measurements(filled: Trace, capacity: int, each: int) -> dict[str, object]:
    past = filled.fact(PastCapacity) or PastCapacity()
    kept = filled.fact(KeptTransitions) or KeptTransitions()
    fills = [event.filled for event in filled.verbs("fill", "ended") if event.filled]
    return {
        "points": past.points or (0, *(fill.rose[meters.MEMORY] for fill in fills)),
        "measured": measured(fills, capacity) if capacity * each >= LEAST_MEASURED else None,
        "full": past.full,
        "turns": past.turns,
        "kind": kind_of(past),
        "collected": fills[-1].collected if fills else {},
        "dropped": filled.fact(EmptiedStorage),
        "read": kept.compared,
        "wrong": kept.wrong,
        "slices": kept.slices,
    }


def measured(fills: Sequence[Fill], capacity: int) -> float | None:
    """Bytes a transition. Of memory over all chunks but the first, in which what is taken once
    is taken; or, where that is more, of what malloc gave: arrays of the whole capacity that are so
    small that the process had the pages.
    """
    stored = sum(fill.stored for fill in fills[1:])
    if not stored:
        return None
    first, last = fills[0].rose, fills[-1].rose
    return float(
        max(
            (last[meters.MEMORY] - first[meters.MEMORY]) / stored,
            last.get(meters.HEAP, 0) / capacity,
        )
    )


def kind_of(past: PastCapacity) -> str:
    """Return the verdict on whole turns of a full ring: flat, steady growth, or neither; empty if
    it was never full.
    """
    if not past.turns:
        return ""
    if past.flat:
        return FLAT
    return GROWS if growing(past) else UNDECIDED


def growing(past: PastCapacity) -> dict[str, int]:
    """{meter: rise in a turn} of the meters that rose in each of the last turns, and evenly."""
    result = {}
    for meter, tolerated in past.tolerated.items():
        rises = [turn.rose.get(meter, 0) for turn in past.turns[-TURNS:]]
        if len(rises) == TURNS and min(rises) > tolerated and min(rises) >= STEADY * max(rises):
            result[meter] = rises[-1]
    return result
