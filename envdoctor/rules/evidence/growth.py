"""The leak check of one place, for the rules on growth: leaks and their holders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from envdoctor.analysis.growth.attribution import NAMES
from envdoctor.analysis.growth.leaks import EXPLAINED, Leak, mapped_by_others, undecided
from envdoctor.analysis.growth.sides import CALL, INSTANCE, LIFECYCLE, LONG, OF_INSTANCES, Side
from envdoctor.analysis.growth.verdicts import FILLING, LEAK, OPEN, Growth
from envdoctor.model.facts import (
    AllocationRecord,
    Allocations,
    Compilations,
    GrowingLine,
    Sensitivity,
)
from envdoctor.model.finding import Location
from envdoctor.model.meters import meter_of
from envdoctor.model.trace import FINISHED, TIMED_OUT, Trace
from envdoctor.model.traits import OPEN_INSTANCE
from envdoctor.model.units import size
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.stacks import is_in_library

#: Cycles or resets that a rule on growth promises to follow at least.
HORIZON = 15

FIRST_CALL = "first-call"  # the scenario that only functions have

CONSTRUCTOR = "__init__"
METHODS = {"create": CONSTRUCTOR}  # of operations that are called otherwise

NO_ROOM = "they found no room in the time"

#: Bytes that Python maps at once for its objects, from 3.10 on; 256 KiB before.
ARENA = 1 << 20

#: What threads, processes and open files are made of, in objects.
OBJECTS_OF_A_HANDLE = 60


def leaks_of(view: View, *meters: str) -> Iterator[Leak]:
    """The leaks of these meters: without a manager all of them; under one, what the parent keeps
    and what the first worker that grows keeps.
    """
    reported: set[tuple[str, str]] = set()
    for leak in view.leaks:
        side = leak.side.partition(" ")[0] if leak.side.startswith("worker") else leak.side
        if leak.meter not in meters:
            continue
        if side == "worker" and (side, leak.operation) in reported:
            continue
        reported.add((side, leak.operation))
        yield leak


def side_of(view: View, name: str) -> Side | None:
    """One side of a place, where it was played."""
    return next((side for side in view.sides if side.name == name), None)


def followed(view: View, meter: str) -> Growth:
    """The verdict on a meter over whole lifecycles."""
    side = side_of(view, LIFECYCLE)
    return side.grows(meter) if side else Growth(OPEN, 0.0, 0)


def mapped_for_memory(view: View) -> float:
    """The mapped bytes a cycle that memory which is taken, and threads, account for. Python maps
    whole arenas: where it takes memory, one of them may be for what comes.
    """
    side = side_of(view, LIFECYCLE)
    if side is None:
        return 0.0
    known = mapped_by_others(side)
    cycles = sum(block.cycles for block in side.blocks)
    return known + ARENA / cycles if known > 0 and cycles else known


def blocks_seen(view: View, name: str, meter: str) -> list[tuple[int, int]]:
    """(cycles, rise) of each block of a side, for the evidence."""
    side = side_of(view, name)
    blocks = side.blocks if side else ()
    return [(block.cycles, block.deltas[meter]) for block in blocks if meter in block.deltas]


def records(view: View, name: str, python: bool | None = None) -> list[AllocationRecord]:
    """Return memray's records of a side, most bytes first; only by Python's own allocator, or only
    by others, where asked. It is played without a manager, for every place.
    """
    side = side_of(view.direct, name if name in (INSTANCE, LONG) else LIFECYCLE)
    records = [
        record
        for fact in (side.allocations if side else ())
        for record in fact.records
        if python is None or record.allocator.startswith("PYMALLOC") == python
    ]
    return sorted(records, key=lambda record: -record.bytes)


def by_python(view: View, leak: Leak) -> bool:
    """Return True if the growth of malloc's bytes is Python's: a container or a text that got
    longer, or most of what memray saw kept, where that is as large as the growth. A list that each
    reset() makes anew is among those, too.
    """
    if leak.holder is not None:
        return True
    side = side_of(view.direct, leak.side if leak.side in (INSTANCE, LONG) else LIFECYCLE)
    longer = sum(longer_text.grew for longer_text in (side.causes.longer if side else ()))
    if side is not None and side.causes.cycles and longer:
        return longer / side.causes.cycles >= EXPLAINED * leak.rate
    python, native = (_records_of_operation(view, leak, of_python) for of_python in (True, False))
    large = sum(each.bytes for each in python if each.is_large)
    grown = sum(_grown_in(leak, fact) for fact in (side.allocations if side else ()))
    return large > sum(each.bytes for each in native) and large >= EXPLAINED * grown


def _grown_in(leak: Leak, recording: Allocations) -> float:
    """The bytes that a leak kept while memray recorded, where its pace in there is known."""
    rate = leak.rate if recording.operation in ("", "create", "reset") else 0.0
    return recording.cycles * leak.shares.get(recording.operation, rate)


def not_attributed(view: View, meter: str) -> str:
    """Return the reason why the holder of a meter's growth is unknown; empty where it is known, or
    nothing grows.
    """
    if any(side.causes.holders and not _was_looked_for(side) for side in view.direct.sides):
        return "it was not seen what each container that grows keeps"
    for leak in leaks_of(view, meter):
        side = side_of(view.direct, leak.side if leak.side == INSTANCE else LIFECYCLE)
        if leak.holder is None and not (side and _was_looked_for(side)):
            return "it was not looked for what holds the memory that grows"
    return ""


def _was_looked_for(side: Side) -> bool:
    """Return True if all containers that got longer were cut back, or memray saw who allocates."""
    return bool(side.allocations) or len(side.causes.passes) > len(side.causes.holders)


def compiled_anew(view: View, leak: Leak) -> Compilations | None:
    """Return what a library compiles in each step() or reset(), where that may be what a leak
    keeps: no container holds it, or one of the library. What another call keeps each time is not.
    """
    trace = view.direct.trace("leak-warm")
    fact = trace.fact(Compilations) if trace else None
    if fact is None or not fact.call:
        return None
    if leak.holder is not None:
        return fact if leak.holder.chain.partition(".")[0] == fact.library else None
    return None if leak.operation in NAMES and leak.operation != fact.call else fact


def _records_of_operation(view: View, leak: Leak, python: bool) -> list[AllocationRecord]:
    """Return memray's records of the operation that leaks, less the lines that add to
    containers.
    """
    return _besides_containers(view, leak, records(view, leak.side, python))


def _besides_containers(
    view: View, leak: Leak, records: list[AllocationRecord]
) -> list[AllocationRecord]:
    """The records of the operation that leaks, less the lines that add to containers."""
    known = _container_lines(view)
    return [
        record
        for record in records
        if _own_line(record) not in known and _may_belong_to(leak.operation, record)
    ]


def _may_belong_to(operation: str, record: AllocationRecord) -> bool:
    """Return True if not only other operations lead to a record: a thread that reset() starts is
    not kept by step().
    """
    methods = {name: METHODS.get(name, name) for name in NAMES}
    calls = {frame.function.rpartition(".")[2] for frame in record.frames}
    own = methods.get(operation)
    others = {name for name in methods.values() if name not in (own, CONSTRUCTOR)}
    return own is None or own in calls or not calls & others


def keeps_instances(view: View, leak: Leak) -> bool:
    """Return True if a leak keeps instances of the environment's own class: one in its container,
    or one that holds all new objects.
    """
    if leak.holder is not None:
        return leak.holder.instance
    own = view.survey.env_class
    side = side_of(view.direct, LIFECYCLE)
    if side is None or leak.operation not in ("create", "cycle"):
        return False
    kept = any(grown.type == own for grown in side.causes.types)
    reached = side.causes.reached.get(OF_INSTANCES, 0.0)
    return kept and reached >= EXPLAINED * side.grows("tracked").rate


def unfollowed(view: View, meters: tuple[str, ...]) -> str:
    """Return the reason why growth of none of these meters can be judged in a place, or nothing:
    each side has to be followed for long enough, and to end with a verdict.
    """
    if not view.sides:
        reason = view.survey.no_cycles
        return f"{reason}, so no cycle was played" if reason else "no cycle was played"
    missing = _missing(view, meters)
    if missing:
        return missing
    if view.sides[0].unit == CALL:
        return _unjudged(view.sides[0], meters, "calls")
    for name, what in _promised(view):
        side = side_of(view, name)
        if side is None or not side.blocks:
            left_out = view.survey.left_out.get(OPEN_INSTANCE, "") if name == INSTANCE else ""
            reason = side.ended if side is not None and side.ended else left_out or NO_ROOM
            return f"{what} were not followed: {reason}"
        reason = _unjudged(side, meters, what)
        if reason:
            return reason
    return ""


def is_function(view: View) -> bool:
    """Return True if the subject is a function that is called again and again."""
    return view.direct.trace(FIRST_CALL) is not None


def first_call_failed(view: View) -> str:
    """Return the reason why a function was not called again, or nothing."""
    first = view.trace(FIRST_CALL)
    if first is None or first.outcome.kind == FINISHED:
        return ""
    name = view.class_name
    if first.outcome.kind == TIMED_OUT:
        return (
            f"{name}() did not come back in the time that --timeout allows: name a function that"
            " makes one iteration of the loop, or raise it"
        )
    if first.outcome.starved:
        return f"the machine was too busy for {name}()"
    return f"{name}() ended the process: {first.outcome.signal or first.outcome.kind}"


def _missing(view: View, meters: tuple[str, ...]) -> str:
    """Return the reason why the first of these meters cannot be read here, if it cannot."""
    calibrated = view.direct.trace("leak-warm")
    known = calibrated.fact(Sensitivity) if calibrated else None
    why = known.missing.get(meters[0]) if known else ""
    return f"the meter {meters[0]} was not read: {why}" if why else ""


def _promised(view: View) -> tuple[tuple[str, str], ...]:
    if view.is_direct:
        long = ((LONG, "whole episodes"),) if side_of(view, LONG) else ()
        open_one = ((INSTANCE, "resets of one open instance"),) if not view.api.one_episode else ()
        return ((LIFECYCLE, "whole lifecycles"), *open_one, *long)
    return tuple((side.name, side.name or "whole launches") for side in view.sides)


def _unjudged(side: Side, meters: tuple[str, ...], what: str) -> str:
    read = [meter for meter in meters if meter in side.growths]
    if not read:
        return f"the meter {meters[0]} was not read"
    if side.cycles < HORIZON and side.name in (LIFECYCLE, INSTANCE):
        rate = f"; one takes {side.seconds:.1f} s" if side.seconds >= 0.1 else ""
        ended = f": {side.ended}" if side.ended else rate
        return f"{side.cycles} of {HORIZON} {what} fitted into the time{ended}"
    raising = [_CALL[name] for name in raising_calls(side) if name != "close"]
    if raising:
        raises = "it" if side.unit == CALL else raising[0]
        return f"{raises} raises each time: growth in {what} cannot be judged"
    grown = [meter for meter in read if side.grows(meter).kind in (OPEN, FILLING, LEAK)]
    if grown and all(side.grows(meter).kind == OPEN for meter in grown):
        changed = [name for name in grown if any(block.deltas.get(name) for block in side.blocks)]
        named = meter_of((changed or grown)[0]).quantity
        cache = _may_be_a_cache(side, grown[0])
        if cache:
            return f"in {side.cycles} {what}, {named} {cache}"
        if not changed:
            return f"in {side.cycles} {what}, which are too few to tell, {named} did not change"
        return f"in {side.cycles} {what}, {named} changed at no steady pace"
    for meter in read:
        reason = undecided(side, meter)
        if reason:
            return f"in {side.cycles} {what}, growth of {meter_of(meter).quantity} {reason}"
    return ""


def raising_calls(side: Side) -> list[str]:
    """The operations of a side that raised each time."""
    return [
        name
        for name, number in side.raised.items()
        if number >= (round(side.calls_of(name) * side.cycles) or side.cycles)
    ]


def _may_be_a_cache(side: Side, meter: str) -> str:
    """That a meter rose, and by less than what is called a leak of it; nothing otherwise."""
    rise = sum(block.deltas.get(meter, 0) for block in side.blocks)
    needed = meter_of(meter).least
    return (
        f"grew by {size(rise)}: a cache may hold less than {size(needed)}"
        if 0 < rise < needed
        else ""
    )


_CALL = {
    "create": "the constructor",
    "reset": "reset()",
    "step": "step()",
    "render": "render()",
    "close": "close()",
}


def returned_by(
    view: View, leak: Leak, sensor: str, left: tuple[Cause, ...], kept: tuple[Cause, ...]
) -> tuple[Cause, ...]:
    """The defects (of those in `left`) whose remedy takes all of a leak of things: what every
    instance leaves once is given back by the remedy for what close() leaves. What each reset() or
    step() leaves is not; where the operation is not known, it may be either, unless there is less
    than one for each reset. Where a cycle has one reset, what close() leaves is as much as what
    each reset() leaves, and is reported once: how many resets a cycle has depends on how long they
    take. What goes where a container is cut back that keeps closed instances is taken by the remedy
    of those in `kept`.
    """
    if leak.holder is not None and leak.holder.instance:
        return kept
    if not _is_once(leak, side_of(view, LIFECYCLE)):
        return ()
    others = sum(
        each.rate
        for each in view.leaks
        if (each.meter, each.side) == (leak.meter, LIFECYCLE) and each.operation != leak.operation
    )
    return left if len(view.left(sensor, "collected")) - round(others) >= leak.rate > 0 else ()


def _is_once(leak: Leak, lifecycles: Side | None) -> bool:
    """True where the leak may be what each instance leaves once. In lifecycles with a whole episode
    it may, unless lifecycles without one were followed and show whether it is.
    """
    if leak.side == LONG:
        return lifecycles is None or lifecycles.grows(leak.meter).kind == OPEN
    resets = lifecycles.calls_of("reset") if lifecycles else 0.0
    fewer = leak.rate < resets or leak.rate <= resets == 1
    return leak.side == LIFECYCLE and (
        leak.operation == "create" or (leak.operation == "cycle" and fewer)
    )


def line_of(records: list[AllocationRecord], *, by_count: bool = False) -> Location | None:
    """The user's frame of the record with most bytes, or most allocations, that has one."""
    own = [record for record in records if record.own_line is not None]
    if not own:
        return None
    return max(own, key=lambda record: record.count if by_count else record.bytes).own_line


def line_for(view: View, leak: Leak, records: list[AllocationRecord]) -> Location | None:
    """The line that takes what a leak keeps: of its container the only one that adds to it, or the
    only one in the operation that leaks; else what memray saw, less the lines of other containers.
    """
    if leak.holder is not None:
        lines = leak.holder.lines
        own = {"create": "__init__", CALL: view.class_name}
        operation = own.get(leak.operation, leak.operation)
        inside = tuple(line for line in lines if line.function.endswith(operation))
        for candidates in (lines, inside):
            if _is_one(candidates):
                return _of_the_caller(candidates[0].location, records)
        return None if lines else line_of(records, by_count=True)
    if leak.side == LONG:
        return _added_by(view)
    rest = _besides_containers(view, leak, records)
    return line_of(rest, by_count=leak.meter == "objects")


def _of_the_caller(line: Location, records: list[AllocationRecord]) -> Location:
    """The line that fills a container; where it is in a library, and all of what is kept was made
    below one line outside of libraries, that line: `addHandler()` is called there.
    """
    most = max((record.count for record in records), default=0)
    made = {record.own_line for record in records if 2 * record.count >= most}
    caller = made.pop() if len(made) == 1 else None
    outside = caller is not None and not is_in_library(caller.file)
    return caller if caller is not None and outside and is_in_library(line.file) else line


def _is_one(lines: Sequence[GrowingLine]) -> bool:
    """Return True if all of them are one line of a file."""
    return len({(line.file, line.line) for line in lines}) == 1


def _added_by(view: View) -> Location | None:
    """The only line that adds to a container that whole episodes make longer."""
    side = side_of(view.direct, LONG)
    lines = [line for holder in (side.causes.holders if side else ()) for line in holder.lines]
    return lines[0].location if _is_one(lines) else None


def _container_lines(view: View) -> set[tuple[str, int]]:
    """The lines that add to a container that grew."""
    return {
        (line.file, line.line)
        for leak in view.direct.leaks
        if leak.holder is not None
        for line in leak.holder.lines
    }


def _own_line(record: AllocationRecord) -> tuple[str, int] | None:
    line = record.own_line
    return (line.file, line.line) if line else None


def bounded_caches(view: View) -> list[str]:
    """The caches with a bound that grew: `sick.look_up (lru_cache), 64 of 128`."""
    grown_caches = [cache for side in view.sides for cache in side.causes.caches if cache.maxsize]
    return list(
        dict.fromkeys(
            f"{grown_cache.what}, {grown_cache.size} of {grown_cache.maxsize}"
            for grown_cache in grown_caches
        )
    )


def grown_containers(view: View, side: str) -> list[str]:
    """Chains to one object of each type that grew most in a side, or to the container that did."""
    result = side_of(view.direct, side if side in (INSTANCE, LONG) else LIFECYCLE)
    if result is None:
        return []
    chains = [holder.chain for holder in result.causes.holders]
    return list(dict.fromkeys([*chains, *(chain.chain for chain in result.causes.chains)]))


def garbage(view: View) -> dict[str, float]:
    """Return the objects and bytes that waited for the garbage collector at the end of the blocks,
    per cycle and meter.
    """
    return _waiting(view.all("leak"), "create")


def garbage_of_open_instance(view: View) -> dict[str, float]:
    """Return the garbage per reset of an instance that stays open: no closed one is part of it."""
    opened = [trace for trace in view.traces if trace.scenario.traits.growth == OPEN_INSTANCE]
    return _waiting(opened, "reset")


def objects_of_garbage(view: View) -> float:
    """The objects that waited for the garbage collector at the end of the blocks, per cycle."""
    blocks = [
        event.block
        for trace in view.all("leak")
        for event in trace.verbs("block", "ended")
        if event.block and event.block.uncollected and event.block.uncollected.after
    ]
    cycles = sum(block.calls("create") for block in blocks)
    waiting = sum(block.uncollected.garbage for block in blocks if block.uncollected)
    return waiting / cycles if cycles else 0.0


def _waiting(traces: Iterable[Trace], counted: str) -> dict[str, float]:
    cycles, waiting = 0, dict[str, int]()
    for trace in traces:
        for event in trace.verbs("block", "ended"):
            block = event.block
            if block is None or block.uncollected is None:
                continue
            settled, raw = block.after, block.uncollected.after
            cycles += block.calls(counted) if raw else 0
            for meter in raw.keys() & settled.keys():
                waiting[meter] = waiting.get(meter, 0) + raw[meter] - settled[meter]
    return {meter: number / cycles for meter, number in sorted(waiting.items())} if cycles else {}
