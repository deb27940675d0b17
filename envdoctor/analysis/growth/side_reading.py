"""From the traces of the leak check to its sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from envdoctor.analysis.growth.sides import (
    CALL,
    COUNTED,
    INSTANCE,
    LIFECYCLE,
    LIFECYCLE_CENSUS,
    LONG,
    OF_FUNCTION,
    OPEN_CENSUS,
    PARENT,
    Causes,
    Holder,
    Pass,
    Side,
    _rises_without_containers,
    rises,
)
from envdoctor.analysis.growth.verdicts import (
    FILLING,
    LEAK,
    OPEN,
    Block,
    Growth,
    tolerance,
    verdicts,
)
from envdoctor.model import traits
from envdoctor.model.facts import Allocations, GrownHolder, Suspects
from envdoctor.model.meters import CHILD_MEMORY, DATA, ELEMENTS, HEAP
from envdoctor.model.records import PlayedBlock, VerbRecord, WorkerSpan
from envdoctor.model.scenario import DIRECT
from envdoctor.model.trace import Trace


def sides_of(traces: Sequence[Trace], control: Sequence[Trace] = ()) -> tuple[Side, ...]:
    """The sides that were played in one place, less what the control grows by in as many cycles."""
    theirs = {side.name: side for side in _sides(control)}
    return tuple(_less(side, theirs.get(side.name)) for side in _sides(traces))


def _sides(traces: Sequence[Trace]) -> Iterator[Side]:
    if not any(trace.scenario.traits.growth for trace in traces):
        return
    direct = all(trace.scenario.manager == DIRECT for trace in traces)
    called = any(trace.scenario.option(OF_FUNCTION) for trace in traces)
    lifecycles = _lifecycles(traces, CALL if called else "cycle" if direct else LAUNCH)
    if lifecycles is not None:
        yield lifecycles
    opened = _open_instance(traces)
    if opened is not None:
        yield opened
    long = _whole_episodes(traces)
    if long is not None:
        yield long
    yield from _managed(traces)


def _whole_episodes(traces: Sequence[Trace]) -> Side | None:
    """Lifecycles with an episode that is played to its end: their own growth is looked for beside
    that of short ones.
    """
    names = [trace for trace in traces if trace.scenario.traits.growth == traits.WHOLE_EPISODES]
    if not names:
        return None
    causes = _causes(names)
    last = names[-1]
    return _side(LONG, "episode", _blocks_in([last]), "create", causes, [], last.cut_short)


def _lifecycles(traces: Sequence[Trace], unit: str) -> Side | None:
    names = [trace for trace in traces if trace.scenario.traits.growth == traits.LIFECYCLES]
    warm = [trace for trace in traces if trace.scenario.traits.growth == traits.LIFECYCLE_WARM_UP]
    if not names and not warm:
        return None
    result = [block for trace in _since_cleared(traces) for block in _blocks_in([trace])]
    return _side(
        LIFECYCLE,
        unit,
        result,
        "create",
        _causes([each for each in traces if each.scenario.traits.growth in LIFECYCLE_CENSUS]),
        [fact for fact in _allocations(traces) if not fact.open],
        (names or warm)[-1].cut_short,
    )


def _since_cleared(traces: Sequence[Trace]) -> list[Trace]:
    """The traces of whole lifecycles since bounded caches that grew were last emptied: they are
    empty at every reading from there on, and earlier readings include them.
    """
    since: list[Trace] = []
    for trace in traces:
        if trace.scenario.traits.growth == traits.SUSPECTS and _cleared(trace):
            since.clear()
        elif trace.scenario.traits.growth == traits.LIFECYCLES:
            since.append(trace)
    return since


def _cleared(trace: Trace) -> bool:
    return any(cache.cleared for fact in trace.facts(Suspects) for cache in fact.caches)


def _open_instance(traces: Sequence[Trace]) -> Side | None:
    names = [trace for trace in traces if trace.scenario.traits.growth == traits.OPEN_INSTANCE]
    warm = [trace for trace in traces if trace.scenario.traits.growth == traits.OPEN_WARM_UP]
    if not names and not warm:
        return None
    side = _side(
        INSTANCE,
        "reset",
        _blocks_in(names[-1:]),
        "reset",
        _causes([each for each in traces if each.scenario.traits.growth in OPEN_CENSUS]),
        [fact for fact in _allocations(traces) if fact.open],
        (names or warm)[-1].cut_short,
    )
    emptied = (
        names
        and names[-1].fact(Suspects) is None
        and any(cache.maxsize and cache.cleared for cache in side.causes.caches)
    )
    growths = _unless_bounded(side)
    return replace(side, growths=_unless_emptied(side, growths) if emptied else growths)


def _unless_emptied(side: Side, growths: Mapping[str, Growth]) -> dict[str, Growth]:
    """The verdicts on blocks that were played before caches with a bound were emptied for good:
    what does not grow without those is filling.
    """
    reading = side.causes.uncut
    return {
        meter: replace(growth, kind=FILLING)
        if growth.kind == LEAK
        and not _few(meter)
        and reading is not None
        and (reading.rise(meter) or 0) <= tolerance(meter)
        else growth
        for meter, growth in growths.items()
    }


def _unless_bounded(side: Side) -> dict[str, Growth]:
    """The verdicts of an instance that stayed open. Where all that got longer in it has a bound, it
    is filling; where its containers were not looked at (no time was left), it is undecided.
    """
    result, looked = dict(side.growths), side.causes.cycles > 0
    bounded = any(cache.maxsize and not cache.cleared for cache in side.causes.caches)
    if looked and (side.causes.holders or not bounded):
        return result
    kind = FILLING if looked else OPEN
    return {
        meter: replace(growth, kind=kind) if growth.kind == LEAK and not _few(meter) else growth
        for meter, growth in result.items()
    }


def _few(meter: str) -> bool:
    """Return True if a meter counts things that a container with a bound does not explain."""
    return meter not in (*COUNTED, ELEMENTS, HEAP, DATA)


def _managed(traces: Sequence[Trace]) -> Iterator[Side]:
    """Resets of a manager that stayed open, as its parent and each of its workers saw them."""
    names = [trace for trace in traces if trace.scenario.traits.growth == traits.WORKERS]
    shared = _blocks_in(names)
    if not shared:
        return
    ended = names[-1].cut_short
    yield _side(PARENT, "reset", shared, "reset", Causes(), [], ended)
    workers: dict[int, list[tuple[int, WorkerSpan]]] = {}
    for block in shared:
        for worker in block.workers:
            workers.setdefault(worker.pid, []).append((block.calls("reset"), worker))
    for number, known in enumerate(workers.values(), start=1):
        blocks = tuple(Block(resets, rises(worker)) for resets, worker in known if resets)
        yield Side(f"worker {number}", "reset", blocks, verdicts(blocks), ended=ended)


def _side(
    name: str,
    unit: str,
    result: Sequence[PlayedBlock],
    counted: str,
    causes: Causes,
    allocations: Sequence[Allocations],
    ended: str,
) -> Side:
    """A side of blocks as they were journalled; a cycle is a call of the operation `counted`."""
    read = [block for block in result if block.calls(counted)]
    blocks = tuple(Block(block.calls(counted), rises(block)) for block in read)
    if name == PARENT or unit == LAUNCH:  # the processes below are the manager's workers
        blocks = tuple(map(_without_children, blocks))
    cycles = sum(block.cycles for block in blocks) or 1
    return Side(
        name,
        unit,
        blocks,
        verdicts(blocks),
        causes,
        tuple(allocations),
        ended,
        {
            operation: sum(block.calls(operation) for block in read) / cycles
            for operation in ("create", "reset", "step", "render")
        },
        {
            operation: number
            for operation in ("create", "reset", "step", "render", "close")
            if (number := sum(block.failures(operation) for block in result))
        },
        min((block.seconds / block.calls(counted) for block in read[-LATEST:]), default=0.0),
    )


def _without_children(block: Block) -> Block:
    deltas = {meter: rise for meter, rise in block.deltas.items() if meter != CHILD_MEMORY}
    return replace(block, deltas=deltas)


def _less(side: Side, theirs: Side | None) -> Side:
    """A side without what the control grows by in as many cycles."""
    if theirs is None:
        return side
    steady = {meter: each.rate for meter, each in theirs.growths.items() if each.kind == LEAK}
    blocks = tuple(
        Block(
            block.cycles,
            {
                meter: rise - round(steady.get(meter, 0.0) * block.cycles)
                for meter, rise in block.deltas.items()
            },
        )
        for block in side.blocks
    )
    return replace(side, blocks=blocks, growths=verdicts(blocks))


def _blocks_in(traces: Iterable[Trace]) -> list[PlayedBlock]:
    """The blocks of these traces, as they were journalled."""
    return [
        event.block for trace in traces for event in trace.verbs("block", "ended") if event.block
    ]


def _allocations(traces: Iterable[Trace]) -> Iterator[Allocations]:
    """Yield memray's results; `open` where one instance stayed open."""
    for trace in traces:
        if trace.scenario.traits.growth == traits.ALLOCATIONS:
            for fact in trace.facts(Allocations):
                yield replace(fact, open=trace.scenario.script.startswith("open"))


def _causes(traces: Sequence[Trace]) -> Causes:
    """The last of these traces that says what explains the growth of a side."""
    for trace in reversed(traces):
        fact = trace.fact(Suspects)
        if fact is not None:
            return _causes_in(trace, fact, traces)
    return Causes()


def _causes_in(trace: Trace, fact: Suspects, traces: Sequence[Trace]) -> Causes:
    passes, rest = _passes(trace) if trace.scenario.traits.growth in _EXPLAINED else ((), ())
    caches = [
        cache for each in traces for suspects in each.facts(Suspects) for cache in suspects.caches
    ]
    reached = {"threads": fact.threads, "processes": fact.processes, "instances": fact.instances}
    return Causes(
        tuple(_holder(holder) for holder in fact.holders if holder.unbounded),
        passes,
        rest,
        tuple(holder for holder in fact.holders if not holder.unbounded),
        fact.types,
        tuple({cache.what: cache for cache in caches}.values()),
        fact.longer,
        {name: number / max(1, fact.cycles) for name, number in reached.items()},
        fact.cycles,
    )


LAUNCH = "launch"  # the unit of a side whose cycles are launches of a manager

LATEST = 2  # blocks of which the quicker one says what a cycle takes: one may have waited

_EXPLAINED = (traits.LIFECYCLE_CAUSES, traits.OPEN_CAUSES)


def _holder(grown_holder: GrownHolder) -> Holder:
    return Holder(
        grown_holder.chain,
        grown_holder.type,
        grown_holder.element or "",
        grown_holder.overhead or 0.0,
        grown_holder.handle or "",
        bool(grown_holder.instance),
        grown_holder.beside or "",
        grown_holder.lines,
    )


def _passes(trace: Trace) -> tuple[tuple[Pass, ...], tuple[Block, ...]]:
    """The passes of designs after a census, by how many holders were cut back; and the longer
    blocks that follow the last of them.
    """
    cut, begun = 0, False
    passes: dict[int, list[PlayedBlock]] = {}
    rest: list[PlayedBlock] = []
    for event in trace.records(VerbRecord):
        name = event.verb.partition(":")[0]
        if event.state != "ended":
            continue
        if name == "suspects":
            begun = True
        elif name == "cut":
            cut = event.cut or cut
        elif name == "block" and begun and event.block:
            passes.setdefault(cut, []).append(event.block)
        elif name == "rest" and event.block:
            rest.append(event.block)
    counted = "reset" if trace.scenario.traits.growth == traits.OPEN_CAUSES else "create"
    blocks = tuple(
        Block(block.calls(counted), _rises_without_containers(block))
        for block in rest
        if block.calls(counted)
    )
    return tuple(Pass(number, tuple(result)) for number, result in passes.items()), blocks
