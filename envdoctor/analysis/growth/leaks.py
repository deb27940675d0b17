"""Leaks: what grows, by how much at each call, what holds it. One analysis of growth for all.

Growth of a meter is divided twice, each time by counting: among operations, by designs that differ
in how often each ran; among the containers that got longer, by cutting them back and counting what
grows without them. What is left after both is a leak of its own, or explained by the threads and
processes that grow as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from envdoctor.analysis.growth.attribution import NAMES, PerOperation
from envdoctor.analysis.growth.kept import is_resource, kept_by, resources
from envdoctor.analysis.growth.sides import CALL, INSTANCE, LIFECYCLE, LONG, Holder, Pass, Side
from envdoctor.analysis.growth.verdicts import LEAK, OPEN, Growth, tolerance, verdicts
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import ERROR, WARNING
from envdoctor.model.meters import (
    ARENAS,
    CHILD_MEMORY,
    ELEMENTS,
    HEAP,
    MALLOC,
    MEMORY,
    OBJECTS,
    PYTHON,
    TRACKED,
)

BYTES = ("heap", "data", "gpu", CHILD_MEMORY)

EVENTS = 4  # that the designs must have seen together, to tell the operations apart
LEAST_BYTES = 32.0  # a cycle; the smallest piece that malloc gives. What grows slower is a warning
HALF = 0.5  # of a thing: what an element keeps of it at least
WHOLE_ONE = 0.95  # of a thing a cycle; rarer growth is a warning
MINOR = 0.03  # of the bytes that the main operation keeps: less may be noise of the allocator
EXPLAINED = 0.8  # of tracked objects that threads or processes lead to: they explain the rest, too
OF_A_THREAD, OF_A_PROCESS = 8192, 8192  # bytes of malloc that one may take in its parent
PAGES = 2  # times as much as the memory that was taken from them
STACK = 9 << 20  # bytes of mapped memory of a thread
OBJECTS_OF_A_HANDLE = 60  # that a thread, a process or an open file may be made of


@dataclass(frozen=True)
class Leak:
    """Steady growth of a meter in one side. `shares` is the growth per call of each operation that
    has a part in it, the one that keeps most in a cycle first; `rate` is per cycle. `holder` is the
    container that keeps it; `bytes` is what one call of the main operation keeps in memory, where
    known. `things` are other meters that each element of the container takes part in.
    """

    meter: str
    side: str
    unit: str
    rate: float
    cycles: int
    shares: Mapping[str, float]
    holder: Holder | None = None
    bytes: float | None = None
    things: Mapping[str, float] | None = None

    @property
    def operation(self) -> str:
        """The operation that keeps most in a cycle."""
        return next(iter(self.shares))

    @property
    def severity(self) -> str:
        """A leak of less than one thing, or of less than malloc's smallest piece, in a cycle is
        worth a warning.
        """
        least = LEAST_BYTES if self.meter in BYTES else WHOLE_ONE
        return ERROR if self.rate >= least else WARNING


def leaks_in(sides: Sequence[Side]) -> tuple[Leak, ...]:
    """Every leak of one place. What an open instance keeps is separate from what outlives it."""
    lifecycles = next((side for side in sides if side.name == LIFECYCLE), None)
    leaks: list[Leak] = []
    for side in sides:
        lasting = (
            _Lasting(lifecycles, leaks) if side.name in (INSTANCE, LONG) and lifecycles else None
        )
        leaks += _leaks(side, lasting)
    return tuple(leaks)


@dataclass(frozen=True)
class _Lasting:
    """Leaks that outlive their instance: they grow in an open one as well and are reported once."""

    uncut: Side
    leaks: Sequence[Leak]

    def rate(self, leak: Leak, side: Side) -> float:
        """Growth of a meter that an open instance shows, too, in a cycle: in the same operation, or
        in all where that is not known. Containers that were cut back in both are not counted. In
        whole episodes, that of new instances as well, and of what no operation is known for.
        """
        long = side.name == LONG
        cut = set() if long else {holder.chain for holder in side.causes.holders}
        mine = [
            each
            for each in self.leaks
            if (each.meter, each.side) == (leak.meter, LIFECYCLE)
            and (each.holder is None or each.holder.chain not in cut)
        ]
        lasting = ("reset", "step", "render")
        operations = (leak.operation,) if leak.operation in lasting else lasting
        calls = {operation: side.calls_of(operation) for operation in operations}
        if long:
            calls |= {"create": 1.0, "cycle": max(1.0, side.grows(leak.meter).rate)}
        return sum(
            each.shares.get(operation, 0.0) * number
            for each in mine
            for operation, number in calls.items()
        )

    def holds(self, holder: Holder) -> bool:
        """Return True if a container outlives the instance."""
        return any(leak.holder and leak.holder.chain == holder.chain for leak in self.leaks)


def _leaks(side: Side, lasting: _Lasting | None) -> Iterator[Leak]:
    """The leaks of one side: by holder, then what grows without them, meter by meter."""
    held = tuple(_by_holder(side))
    for leak in held:
        if lasting is None or leak.holder is None or not lasting.holds(leak.holder):
            yield leak
    for meter in dict.fromkeys(("objects", *BYTES, *resources(side.growths))):
        counted = _clearer(side, meter, held)
        growth = _rest(side, counted, held)
        if growth.kind != LEAK or _explained(side, meter, growth):
            continue
        for leak in _by_operation(side, meter, growth, held, counted):
            rest = leak if lasting is None else _without_lasting(leak, side, lasting)
            if rest is not None:
                yield rest


def undecided(side: Side, meter: str) -> str:
    """Return the reason why growth of a meter may have a part that no leak explains, or nothing."""
    if side.grows(meter).kind != LEAK:
        return ""
    held = tuple(_by_holder(side))
    if meter == ELEMENTS:
        known = held or any(side.grows(name).kind == LEAK for name in ("objects", "heap"))
        return "" if known else "is that of a container that was not found"
    growth = _rest(side, _clearer(side, meter, held), held)
    if growth.kind == OPEN:
        return "has no steady pace without what else grows"
    left = any(side.grows(thing).kind == LEAK for thing in ("threads", "processes"))
    if meter in BYTES and meter != CHILD_MEMORY and growth.kind == LEAK and left:
        return "cannot be told from what threads or processes that are left take of it"
    return ""


def _clearer(side: Side, meter: str, held: Sequence[Leak]) -> str:
    """The meter that shows the growth of objects more clearly. The collector does not know them
    all, but where it knows those that leak its count is the clearer one: a list that gets longer
    changes its block now and then.
    """
    if meter != "objects" or _rest(side, "objects", held).kind == LEAK:
        return meter
    return "tracked" if _rest(side, "tracked", held).kind == LEAK else meter


# --- containers -------------------------------------------------------------------------------


def _by_holder(side: Side) -> Iterator[Leak]:
    """Yield what each container that grew keeps, as cutting it back showed. Containers that have
    the same things (a registry and its index) are one leak, of what all of them keep.
    """
    causes = side.causes
    reading = causes.uncut
    meters = (OBJECTS, TRACKED, ELEMENTS, HEAP)
    grows = any(side.grows(meter).kind == LEAK for meter in meters)
    if reading is None or not grows:
        return
    for at, holder in enumerate(causes.holders):
        number = reading.elements[at] if at < len(reading.elements) else 0
        elements = _shares(side, reading.elements_per_operation(at))
        elements = elements or _with_instances(side, reading, at)
        if holder.beside or not elements or number <= 0:
            continue
        group = [
            index
            for index, other in enumerate(causes.holders)
            if index == at or other.beside == holder.chain
        ]
        kept = {
            meter: sum(each or 0.0 for each in values) / number
            for meter in ("objects", "tracked", MEMORY, *resources(side.growths))
            if None
            not in (
                values := [
                    kept_by(causes.passes, causes.holders, number, meter) for number in group
                ]
            )
        }
        overhead = sum(causes.holders[index].overhead for index in group)
        whole_of_it = replace(holder, overhead=overhead)
        yield _held(side, whole_of_it, elements, kept)
        yield from _held_things(side, whole_of_it, elements, kept)


def _with_instances(side: Side, reading: Pass, at: int) -> dict[str, float]:
    """The elements that a container which keeps instances gets in a cycle, where no operation has a
    steady part in them: what a method caches of an instance comes with its first steps.
    """
    if side.name != LIFECYCLE or not side.causes.holders[at].instance:
        return {}
    grew = [block for block in reading.blocks if at < len(block.grew) and block.grew[at] > 0]
    cycles = sum(block.calls("create") for block in grew)
    return {_any(side): sum(block.grew[at] for block in grew) / cycles} if cycles else {}


def _held_things(
    side: Side, holder: Holder, elements: Mapping[str, float], kept: Mapping[str, float]
) -> Iterator[Leak]:
    """Yield the growth of descriptors and the like that one container causes: growth that is gone
    where it is cut back.
    """
    main = next(iter(elements))
    for meter in resources(side.growths):
        growth, number = side.grows(meter), kept.get(meter, 0.0)
        if growth.kind != LEAK or number < HALF:
            continue
        shares = _scaled(elements, round(number, 2))
        size = shares[main] if meter in BYTES else None
        rate = _per_cycle(side, shares)
        yield Leak(meter, side.name, side.unit, rate, growth.cycles, shares, holder, size)


def _held(
    side: Side, holder: Holder, elements: Mapping[str, float], kept: Mapping[str, float]
) -> Leak:
    """The leak of one container: `elements` per call, and what each of them keeps of each meter."""
    each = max(0.0, kept.get(OBJECTS, 1.0))  # where it was not cut back, an object each
    counts = each >= HALF
    per = each if counts else 1.0
    per = round(per) if abs(per - round(per)) < 0.02 * per else per
    shares = {operation: share * per for operation, share in elements.items()}
    main = next(iter(elements))
    size = None if kept.get(MEMORY) is None else max(0.0, kept[MEMORY])
    return Leak(
        "objects" if counts else "heap",
        side.name,
        side.unit,
        _per_cycle(side, shares),
        side.cycles,
        shares if counts else _scaled(elements, (size or 0.0) + holder.overhead),
        holder,
        None if size is None else elements[main] * (size + holder.overhead),
        {meter: kept[meter] for meter in resources(side.growths) if kept.get(meter, 0.0) >= HALF},
    )


def _scaled(shares: Mapping[str, float], factor: float) -> dict[str, float]:
    return {operation: share * factor for operation, share in shares.items()}


# --- what is left ------------------------------------------------------------------------------


def _rest(side: Side, meter: str, held: Sequence[Leak]) -> Growth:
    """The verdict on what grows of a meter without the containers."""
    growth = side.grows(meter)
    if growth.kind == LEAK and not is_resource(meter) and _unexplained(side):
        return replace(growth, kind=OPEN)
    if growth.kind != LEAK or not held or not _touched(meter, held):
        return growth
    if side.causes.rest:
        return verdicts(side.causes.rest).get(meter, growth)
    return replace(growth, kind=OPEN)  # no time was left to see what grows without them


def _explained(side: Side, meter: str, growth: Growth) -> bool:
    """Return True if threads and processes that grow account for all that is left of a meter, for
    any operation: a thread of a reset() may keep the instance. Of bytes, only those that are rare
    do: there the short designs cannot separate operations.
    """
    things = [thing for thing in ("threads", "processes") if side.grows(thing).kind == LEAK]
    if meter != "objects":
        things = [thing for thing in things if side.grows(thing).rate < WHOLE_ONE]
    if not things:
        return False
    if meter == "objects":
        rest = verdicts(side.causes.rest).get(TRACKED) if side.causes.rest else None
        tracked = rest if rest and rest.kind == LEAK else side.grows("tracked")
        reached = _reached_by(side, *things)
        return 0 < EXPLAINED * tracked.rate <= reached
    costs = {"threads": OF_A_THREAD, "processes": OF_A_PROCESS}
    return meter == "heap" and growth.rate <= sum(
        side.grows(thing).rate * costs[thing] for thing in things
    )


def _unexplained(side: Side) -> bool:
    """Return True if things grow that cost memory by themselves, and no census counts how much of
    it.
    """
    return not side.causes.cycles and any(
        side.grows(meter).kind == LEAK for meter in resources(side.growths)
    )


def _touched(meter: str, held: Sequence[Leak]) -> bool:
    """Return True if containers have a part in the growth of a meter."""
    return not is_resource(meter) or any(meter in (leak.things or {}) for leak in held)


def _by_operation(
    side: Side, meter: str, growth: Growth, held: Sequence[Leak], counted: str
) -> Iterator[Leak]:
    """One leak for each operation that keeps something of a meter, less what other growth costs.
    `counted` is the meter that it was counted by.
    """
    last = _last_pass(side, meter, held)
    shares = _shares_of(side, counted, growth, last)
    for operation, share in (shares or {_any(side): growth.rate}).items():
        rate = _per_cycle(side, {operation: share}) if shares else growth.rate
        left = rate - _cost(side, meter, operation, last)
        if left <= rate * (1 - EXPLAINED) or left <= _least(side, meter):
            continue
        each = {operation: share * left / rate}
        size = _bytes_per_call(side, meter, operation, each[operation], last)
        yield Leak(meter, side.name, side.unit, left, growth.cycles, each, bytes=size)


def _least(side: Side, meter: str) -> float:
    """Return the largest quiet rise of a meter per cycle, in the longest of the blocks."""
    return tolerance(meter) / max((block.cycles for block in side.blocks), default=1)


def _any(side: Side) -> str:
    """Return the name of an operation that the designs cannot separate."""
    return {"reset": "episode"}.get(side.unit, side.unit) if side.name == INSTANCE else side.unit


def _cost(side: Side, meter: str, operation: str, reading: Pass | None) -> float:
    """Return how much of a meter the threads and processes that an operation leaves take in a
    cycle.
    """
    if meter == "objects":
        return _objects_reached(side, operation, reading) + _objects_of_records(
            side, operation, reading
        )
    costs = {"heap": {"threads": OF_A_THREAD, "processes": OF_A_PROCESS}}.get(meter, {})
    if meter == "data":
        return mapped_by_others(side)
    return sum(_left_by(side, thing, operation) * each for thing, each in costs.items())


def mapped_by_others(side: Side) -> float:
    """Mapped bytes a cycle that come with memory that is taken, and with threads. What malloc maps
    and Python's arenas are not among those that are judged, where readings have them.
    """
    read = {meter for block in side.blocks for meter in block.deltas}
    memory = 0.0 if MALLOC in read else max(0.0, side.grows("heap").rate)
    memory += 0.0 if ARENAS in read else max(0.0, _python_rate(side))
    return PAGES * memory + max(0.0, side.grows("threads").rate) * STACK


def _objects_reached(side: Side, operation: str, reading: Pass | None) -> float:
    """The objects that only threads and processes lead to, which an operation leaves. The
    collector does not know all objects: those that it knows stand for the others, as far as its
    count is exact.
    """
    reached = sum(
        side.causes.reached.get(thing, 0.0)
        for thing in ("threads", "processes")
        if _left_by(side, thing, operation) > 0
    )
    if reading is None or not reached:
        return reached
    tracked, objects = (
        _per_cycle(
            side, {operation: _shares(side, reading.per_operation(meter)).get(operation, 0.0)}
        )
        for meter in ("tracked", "objects")
    )
    if tracked <= 0 or objects <= 0:  # the designs do not tell operations apart
        tracked, objects = reading.rise("tracked") or 0.0, reading.rise("objects") or 0.0
    if tracked <= 0 or objects <= 0:
        return reached
    return reached * objects / tracked * (1 + reading.misfit("tracked"))


def _reached_by(side: Side, *things: str) -> float:
    """Tracked objects a cycle that only such things lead to, as the census saw it."""
    return sum(side.causes.reached.get(thing, 0.0) for thing in things)


def _objects_of_records(side: Side, operation: str, reading: Pass | None) -> float:
    """The objects that the standard library keeps of processes from the moment on in which the
    instances that started them are let go of. The census was before.
    """
    kept = any(holder.instance for holder in side.causes.holders)
    if reading is None or reading.cut == 0 or not kept or _reached_by(side, "processes") > 0:
        return 0.0
    return _left_by(side, "processes", operation) * OBJECTS_OF_A_HANDLE


def _left_by(side: Side, thing: str, operation: str) -> float:
    """Return how many threads or processes an operation leaves in a cycle; all of them if it is not
    known which operation is meant, or which one leaves them.
    """
    shares = _things_per_call(side, thing)
    if operation == _any(side) or _any(side) in shares:
        growth = side.grows(thing)
        return growth.rate if growth.kind == LEAK else 0.0
    return _per_cycle(side, {operation: shares.get(operation, 0.0)})


def _python_rate(side: Side) -> float:
    cycles = sum(block.cycles for block in side.blocks) or 1
    return sum(block.deltas.get(PYTHON, 0) for block in side.blocks) / cycles


def _things_per_call(side: Side, meter: str) -> Mapping[str, float]:
    growth = side.grows(meter)
    if growth.kind != LEAK:
        return {}
    reading = side.causes.uncut
    shares = _shares_of(side, meter, growth, reading) if reading else {}
    return shares or {_any(side): growth.rate}


def _last_pass(side: Side, meter: str, held: Sequence[Leak]) -> Pass | None:
    """The pass that shows a meter without the containers, where they have a part in it."""
    passes = side.causes.passes
    if not passes:
        return None
    return passes[-1] if held and _touched(meter, held) else side.causes.uncut


def _shares_of(side: Side, meter: str, growth: Growth, reading: Pass | None) -> dict[str, float]:
    """Growth per call of each operation; empty when the designs do not tell.

    They are short, so a leak at every fifth call is a matter of luck there: they say which
    operation, and the long blocks say how much.
    """
    if reading is None:
        return {}
    if (reading.rise(meter) or 0) < EVENTS:
        return {}
    shares = _shares(side, reading.per_operation(meter), meter)
    total = _per_cycle(side, shares)
    if total <= 0 or not 1 / 3 < growth.rate / total < 3:
        return {}
    if meter in BYTES:
        return shares
    if growth.rate >= WHOLE_ONE:
        return _with_the_odd_one(side, shares, growth.rate)
    return _scaled(shares, growth.rate / total)


def _with_the_odd_one(side: Side, shares: dict[str, float], rate: float) -> dict[str, float]:
    """Shares of which one is not a whole number: it is what the long blocks leave of the rate. A
    descriptor in every reset() and one in every 5th instance were one in every 4th otherwise.
    """
    odd = [name for name, share in shares.items() if not float(share).is_integer()]
    if len(odd) != 1:
        return shares
    everything = {name: share for name, share in shares.items() if name not in odd}
    left = (rate - _per_cycle(side, everything)) / _per_cycle(side, dict.fromkeys(odd, 1.0))
    known = shares[odd[0]]
    return {**shares, odd[0]: left} if known / 2 < left < known * 2 else shares


def _shares(side: Side, per_operation: PerOperation | None, meter: str = "") -> dict[str, float]:
    """Growth per call of each operation that has a part in it, the largest first."""
    if per_operation is None:
        return {}
    kept = {name: getattr(per_operation, name) * side.calls_of(name) for name in NAMES}
    if side.name == LIFECYCLE:
        kept["create"] = per_operation.create
    least = max(LEAST_BYTES, max(kept.values()) * MINOR) if meter in (*BYTES, MEMORY) else 0.0
    return {
        CALL if side.unit == CALL else name: getattr(per_operation, name)
        for name, share in sorted(kept.items(), key=lambda item: -item[1])
        if share > least
    }


def _per_cycle(side: Side, shares: Mapping[str, float]) -> float:
    """Convert shares per call to a sum per cycle."""
    return sum(
        share * (1.0 if operation == "create" else side.calls.get(operation, 1.0))
        for operation, share in shares.items()
    )


def _bytes_per_call(
    side: Side, meter: str, operation: str, share: float, reading: Pass | None
) -> float | None:
    """Bytes that one call keeps: those that are counted, or of all memory where objects are."""
    if meter in BYTES:
        return share
    if meter != "objects" or reading is None:
        return None
    memory, objects = reading.rise(MEMORY), reading.rise("objects")
    shares = _shares(side, reading.per_operation(MEMORY))
    if operation in shares:
        return shares[operation]
    return share * memory / objects if memory and objects else None


def _without_lasting(leak: Leak, side: Side, lasting: _Lasting) -> Leak | None:
    """Return the leak of an open instance, less what outlives the instance; None if nothing is
    left.
    """
    known = lasting.rate(leak, side)
    if known <= 0:
        return leak
    left = leak.rate - known
    if left <= known * 0.1 + (LEAST_BYTES if leak.meter in BYTES else 0.5):
        return None
    share = left / leak.rate
    size = None if leak.bytes is None else leak.bytes * share
    return replace(leak, rate=left, shares=_scaled(leak.shares, share), bytes=size)
