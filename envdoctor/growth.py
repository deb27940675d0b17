"""What hunts for growth found, as the report tells it: from their traces, place by place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from envdoctor.model.report import GrowthReport, MeterGrowth
from envdoctor.model.scenario import DIRECT
from envdoctor.model.trace import Trace
from envdoctor.stats import (
    FLAT,
    LEAK,
    WHILE_OPEN,
    Block,
    Design,
    Growth,
    PerOperation,
    attribute,
    blocks_of,
    blocks_while_open,
    rises,
    verdicts,
    verdicts_while_open,
)  # fmt: skip

NO_ROOM = "its episodes found no room in the time or the cycles"
ONE_INSTANCE = "one instance"  # the side of what stays open without a manager

Place = tuple[str, str | None]


def summarise(traces: Iterable[Trace], quick: bool) -> tuple[GrowthReport, ...]:
    """What the hunts of one subject found. A `quick` one was part of a larger examination."""
    traces = tuple(traces)
    own = [trace for trace in traces if not trace.scenario.control and trace.scenario.name.startswith("leak")]
    stocked = any(trace.fact("forecast") for trace in traces)  # the loop that fills storages keeps one instance open
    sensitivity: Mapping[str, Any] = next((value for trace in own if (value := trace.fact("sensitivity"))), {})
    known: dict[str, Any] = {
        "sees": sensitivity.get("sees") or {},
        "tier": sensitivity.get("tier") or "",
        "reasons": tuple(sensitivity.get("reasons") or ()),
        "quick": quick,
    }
    places = dict.fromkeys(trace.scenario.place for trace in own)
    return tuple(
        report for place in places for report in _reports([one for one in own if one.scenario.place == place], place, known, quick or stocked)
    )


def _reports(traces: list[Trace], place: Place, known: Mapping[str, Any], spared: bool) -> Iterator[GrowthReport]:
    """Whole cycles; then, where a manager stayed open, resets as its parent and each worker saw them."""
    live = [trace for trace in traces if trace.scenario.name.startswith(WHILE_OPEN)]
    blocks, ended = blocks_of(traces), _last_cut([trace for trace in traces if trace not in live])
    if blocks or ended:
        facts: dict[str, Any] = {key: _last(traces, key) for key in ("suspects", "allocations")}
        yield _report(place, blocks, traces, ended=ended, **facts, **known)
    if place[0] == DIRECT and not spared and _not_kept_open(blocks, traces):
        yield _report(place, (), side=ONE_INSTANCE, ended=_last_cut(live) or NO_ROOM, **{**known, "quick": True})
    opened = blocks_while_open(traces)
    if opened:
        yield _report(place, opened, growths=verdicts_while_open(traces), side=ONE_INSTANCE, ended=_last_cut(live), **{**known, "quick": True})
    shared = blocks_in(traces, "leak-workers")
    if shared:
        sides = {"parent": [Block(block["resets"], rises(block)) for block in shared if block["resets"]], **_workers(shared)}
        for side, seen in sides.items():
            yield _report(place, seen, side=side, **{**known, "quick": True})


def _not_kept_open(blocks: Sequence[Block], traces: Sequence[Trace]) -> bool:
    """Whether a hunt that found whole lives flat ended without one instance that stays open."""
    flat = bool(blocks) and all(growth.kind == FLAT for growth in verdicts(blocks).values())
    return flat and not any(trace.scenario.name == WHILE_OPEN for trace in traces)


def _last_cut(traces: Sequence[Trace]) -> str:
    """Why the last of them stopped early, if it did."""
    return traces[-1].cut_short if traces else ""


def _workers(shared: Iterable[Mapping[str, Any]]) -> dict[str, list[Block]]:
    """The blocks of each worker, numbered as they come."""
    found: dict[int, list[Block]] = {}
    for block in shared:
        for worker in block.get("workers") or ():
            found.setdefault(worker["pid"], []).append(Block(block["resets"], rises(worker)))
    return {f"worker {number}": blocks for number, blocks in enumerate(found.values(), start=1)}


def _report(
    place: Place, blocks: Sequence[Block], traces: Sequence[Trace] = (), growths: Mapping[str, Growth] | None = None, **known: Any
) -> GrowthReport:
    """The cycles of the blocks, and every meter's growth."""
    meters = (
        MeterGrowth(meter, growth.kind, growth.rate, tuple(block.deltas.get(meter, 0) for block in blocks), _operations(traces, meter, growth))
        for meter, growth in (verdicts(blocks) if growths is None else growths).items()
    )
    return GrowthReport(*place, tuple(block.cycles for block in blocks), tuple(meters), **known)


def _operations(traces: Sequence[Trace], meter: str, growth: Growth) -> dict[str, float]:
    found = per_operation(traces, meter) if growth.kind == LEAK else None
    return {} if found is None else {name: value for name, value in vars(found).items() if value}


def _last(traces: Iterable[Trace], key: str) -> Mapping[str, Any]:
    values: list[Mapping[str, Any]] = [value for trace in traces if (value := trace.fact(key))]
    return values[-1] if values else {}


def blocks_in(traces: Iterable[Trace], name: str) -> list[Mapping[str, Any]]:
    """The blocks of one scenario as they were journalled."""
    mine = (trace for trace in traces if trace.scenario.name == name)
    return [event["block"] for trace in mine for event in trace.verbs("block", "ended") if event.get("block")]


def per_operation(traces: Iterable[Trace], meter: str, designs_of: str = "leak-design") -> PerOperation | None:
    """Growth of a meter per call, when the designs were played and tell."""
    designs = [
        Design(block["creates"], block["resets"], block["steps"], rises(block)[meter], block.get("renders", 0))
        for block in blocks_in(traces, designs_of)
        if meter in rises(block)
    ]
    return attribute(designs)
