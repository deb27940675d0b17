"""The leak checks of one subject, as the report shows them: place by place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from envdoctor.analysis.growth.leaks import Leak, leaks_in
from envdoctor.analysis.growth.side_reading import sides_of
from envdoctor.analysis.growth.sides import CALL, COUNTED, INSTANCE, LIFECYCLE, LONG, PARENT, Side
from envdoctor.analysis.growth.verdicts import FLAT, LEAK
from envdoctor.frameworks import profile_of_api
from envdoctor.model.facts import (
    Allocations,
    Described,
    GrownHolder,
    Sensitivity,
    StorageForecast,
    Suspects,
)
from envdoctor.model.report import GrowthReport, LeakReport, MeterGrowth
from envdoctor.model.scenario import DIRECT
from envdoctor.model.trace import Trace

NO_ROOM = "its resets found no room in the time or the cycles"

Place = tuple[str, str | None]


def summarise(traces: Iterable[Trace], quick: bool) -> tuple[GrowthReport, ...]:
    """Return the results of one subject's leak checks. A `quick` one was part of a larger
    examination.
    """
    traces = tuple(traces)
    names = [trace for trace in traces if trace.scenario.traits.growth]
    own = [trace for trace in names if not trace.scenario.control]
    # The loop that fills replay buffers keeps one instance open.
    stocked = any(trace.fact(StorageForecast) for trace in traces)
    once = any(_has_one_episode(trace) for trace in traces)
    facts = (value for trace in own if (value := trace.fact(Sensitivity)))
    known = next(facts, Sensitivity("", ()))
    result: list[GrowthReport] = []
    for place in dict.fromkeys(trace.scenario.place for trace in own):
        mine = [trace for trace in own if trace.scenario.place == place]
        theirs = [each for each in names if each.scenario.control and each.scenario.place == place]
        reports = _reports(sides_of(mine, theirs), place, known, quick or stocked or once)
        result += [replace(report, quick=True) for report in reports] if quick else reports
    return tuple(result)


def _has_one_episode(trace: Trace) -> bool:
    """Return True if no instance stays open for a second episode."""
    described = trace.fact(Described)
    profile = profile_of_api(described.api) if described is not None else None
    return profile is not None and profile.one_episode


def _reports(
    sides: Sequence[Side], place: Place, known: Sensitivity, spared: bool
) -> Iterator[GrowthReport]:
    """One report a side; and that an open instance was not followed, where it was to be."""
    leaks = leaks_in(sides)
    for side in sides:
        if side.name == LIFECYCLE and not side.blocks and not side.ended:
            continue
        own = [leak for leak in leaks if leak.side == side.name]
        if side.name == LONG and leaks and not own:
            continue  # what short lifecycles grow by, they do as well
        yield _report(side, place, own, known)
    names = [side.name for side in sides if side.unit != CALL]
    if place[0] == DIRECT and not spared and LIFECYCLE in names and INSTANCE not in names:
        sees, tier, reasons = known.sees, known.tier, known.reasons
        report = GrowthReport(*place, (), (), sees, tier, reasons, side=INSTANCE, ended=NO_ROOM)
        yield replace(report, quick=True)


def _report(side: Side, place: Place, leaks: Sequence[Leak], known: Sensitivity) -> GrowthReport:
    """The cycles of the blocks, every meter's growth, and the leaks."""
    meters = (
        MeterGrowth(
            meter,
            growth.kind,
            growth.rate,
            tuple(block.deltas.get(meter, 0) for block in side.blocks),
            _operations(side, meter, growth.kind),
            any(leak.meter == meter for leak in leaks),
        )
        for meter, growth in side.growths.items()
    )
    return GrowthReport(
        *place,
        tuple(block.cycles for block in side.blocks),
        tuple(meters),
        known.sees,
        known.tier,
        known.reasons,
        suspects=_census(side),
        allocations=_allocations(side),
        ended=side.ended,
        side=side.name,
        unit=side.unit,
        leaks=tuple(_leak(leak) for leak in leaks),
        quick=side.name not in (LIFECYCLE, PARENT),
    )


def _allocations(side: Side) -> Allocations | None:
    last = side.allocations[-1] if side.allocations else None
    return replace(last, operation=CALL) if last and side.unit == CALL else last


def _operations(side: Side, meter: str, kind: str) -> dict[str, float]:
    reading = side.causes.uncut
    per_operation = reading.per_operation(meter) if reading and kind == LEAK else None
    shares = (
        {}
        if per_operation is None
        else {name: value for name, value in vars(per_operation).items() if value}
    )
    return (
        {CALL: per_operation.create}
        if per_operation and side.unit == CALL and per_operation.create
        else shares
    )


def _census(side: Side) -> Suspects | None:
    """Types, holders and caches that grew, where anything did. Types, and what leads to single new
    objects, only where objects grow: in a few cycles some come and go. Box2D's fixtureDef keeps
    native memory at each reset() of LunarLander: no list of the environment's holds that.
    """
    causes = side.causes
    if not causes.cycles or all(growth.kind == FLAT for growth in side.growths.values()):
        return None
    containers = tuple(GrownHolder(each.type, each.chain) for each in causes.holders)
    counted = (side.growths[meter] for meter in COUNTED if meter in side.growths)
    more = any(growth.kind != FLAT for growth in counted)
    types, chains = (causes.types, causes.chains) if more else ((), ())
    return Suspects(causes.cycles, types, (*containers, *chains), causes.caches)


def _leak(leak: Leak) -> LeakReport:
    return LeakReport(
        leak.meter,
        leak.rate,
        dict(leak.shares),
        leak.bytes,
        leak.holder.chain if leak.holder else "",
    )
