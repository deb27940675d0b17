"""What the scenarios of the leak check played: from traces to blocks, designs and holders.

A *side* is one way of repeating an environment: whole lifecycles, resets of one instance that stays
open, launches of a manager, resets of one manager as its parent and as each worker sees them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from envdoctor.analysis.growth.attribution import EVENT, NAMES, Design, PerOperation, attribute
from envdoctor.analysis.growth.verdicts import (
    FILLING,
    LEAK,
    OPEN,
    TOLERANCE,
    Block,
    Growth,
    verdicts,
)
from envdoctor.model import traits
from envdoctor.model.facts import (
    Allocations,
    GrowingLine,
    GrownCache,
    GrownHolder,
    GrownType,
    LongerText,
    Suspects,
)
from envdoctor.model.records import PlayedBlock, Span, VerbRecord, WorkerSpan
from envdoctor.model.scenario import DIRECT
from envdoctor.model.trace import Trace

#: The scenarios of the leak check: blocks of whole lifecycles, what explains their growth, and the
#: same of one instance that stays open; resets of a manager that stays open.
LIFECYCLES, LIFECYCLE_CAUSES = "leak", "leak-causes"
OPEN_INSTANCE, OPEN_CAUSES = "leak-open", "leak-open-causes"
WHOLE_EPISODES = "leak-episodes"
MANAGED = "leak-workers"
SUSPECTS, ALLOCATIONS = "leak-suspects", "leak-memray"

#: The option of scenarios whose cycles are calls of a function.
OF_FUNCTION = "of_function"

#: Where a census of the heap is taken.
LIFECYCLE_CENSUS = (traits.SUSPECTS, traits.LIFECYCLE_CAUSES)
OPEN_CENSUS = (traits.OPEN_INSTANCE, traits.OPEN_CAUSES)

#: The sides, as reports name them.
WHOLE, INSTANCE, PARENT, LONG = "", "one instance", "parent", "whole episodes"

#: The unit of a side whose cycles are calls of a function, and what its operation is called.
CALL = "call"

MEMORY = "memory"  # all bytes of Python's objects: malloc's and those of Python's own allocator
COUNTED = ("objects", "tracked")


@dataclass(frozen=True)
class Holder:
    """A container that grew. `element` is the type of what was put in last, `handle` the meter of
    what it stands for ("threads"), if it does, and `instance` whether it keeps an instance of the
    environment; `beside` is another container that has the same things; `overhead` the bytes that
    an element takes besides its own; `lines` are those of the source that add to it.
    """

    chain: str
    type: str
    element: str
    overhead: float = 0.0
    handle: str = ""
    instance: bool = False
    beside: str = ""
    lines: tuple[GrowingLine, ...] = ()


@dataclass(frozen=True)
class Pass:
    """Blocks that differ in how often each operation ran, played while the first `cut` holders were
    cut back at every reading.
    """

    cut: int
    blocks: tuple[PlayedBlock, ...]

    @cached_property
    def grown(self) -> list[Sequence[int]]:
        """By how many elements each holder grew, block by block."""
        return [block.grew for block in self.blocks]

    @cached_property
    def elements(self) -> tuple[int, ...]:
        """By how many elements each holder grew, in all blocks together."""
        grown = self.grown
        return tuple(map(sum, zip(*grown, strict=True))) if all(grown) and grown else ()

    def rises(self, meter: str) -> list[int | None]:
        """By how much a meter rose, block by block, without the containers themselves."""
        return [_rise(block, meter) for block in self.blocks]

    def rise(self, meter: str) -> int | None:
        """By how much a meter rose in all blocks together, without the containers themselves."""
        rises = self.rises(meter)
        return None if None in rises or not rises else sum(rise or 0 for rise in rises)

    def per_operation(self, meter: str) -> PerOperation | None:
        """Growth of a meter per call of each operation."""
        native = meter in ("heap", MEMORY)
        noise = TOLERANCE["heap"] if native else TOLERANCE.get(meter, 0)
        unsteady = native and self.is_unsteady
        return self._attributed(self.rises(meter), noise, from_below=unsteady)

    def misfit(self, meter: str) -> float:
        """By how much a block differs from what its calls take, at most, as a share of the largest
        rise. The collector's count changes with what it looks at: in a thread that computes, too.
        """
        found, rises = self.per_operation(meter), [rise or 0 for rise in self.rises(meter)]
        most = max(map(abs, rises), default=0)
        if found is None or not most:
            return 0.0
        misses = (
            abs(rise - sum(vars(found)[name] * block.calls(name) for name in NAMES))
            for rise, block in zip(rises, self.blocks, strict=True)
        )
        return float(max(misses)) / most

    @cached_property
    def is_unsteady(self) -> bool:
        """Whether threads or processes grew, for which tables of the interpreter are made anew in
        any of the blocks.
        """
        return any((self.rise(meter) or 0) > 0 for meter in ("threads", "processes"))

    def elements_per_operation(self, holder: int) -> PerOperation | None:
        """Growth of a container per call of each operation, in elements."""
        return self._attributed(
            [each[holder] if holder < len(each) else None for each in self.grown]
        )

    def calls(self, operation: str) -> int:
        """How often an operation ran in all blocks together."""
        return sum(block.calls(operation) for block in self.blocks)

    def _attributed(
        self, rises: Sequence[int | None], noise: int = 0, from_below: bool = False
    ) -> PerOperation | None:
        designs = [
            Design(
                block.calls("create"),
                block.calls("reset"),
                block.calls("step"),
                rise,
                block.calls("render"),
            )
            for block, rise in zip(self.blocks, rises, strict=True)
            if rise is not None
        ]
        if not designs or len(designs) < len(self.blocks):
            return None
        return attribute(designs, max(EVENT, noise), from_below)


@dataclass(frozen=True)
class Causes:
    """What explains the growth of a side: holders, one pass more than there are of them (the first
    with nothing cut back), and the blocks of the rest. `longer` are texts and arrays that got
    longer. `threads`, `processes` and `instances` are
    how many tracked objects only they lead to, per cycle.
    """

    holders: tuple[Holder, ...] = ()
    passes: tuple[Pass, ...] = ()
    rest: tuple[Block, ...] = ()
    chains: tuple[GrownHolder, ...] = ()
    types: tuple[GrownType, ...] = ()
    caches: tuple[GrownCache, ...] = ()
    longer: tuple[LongerText, ...] = ()
    reached: Mapping[str, float] = field(default_factory=dict)
    cycles: int = 0

    @property
    def whole(self) -> Pass | None:
        """The pass in which nothing was cut back."""
        return next((each for each in self.passes if each.cut == 0), None)


@dataclass(frozen=True)
class Side:
    """One side of one place: its blocks, its verdicts (less what the control grows by), what
    explains them, what memray saw, and why it ended early, if it did. `calls` is how often each
    operation ran in a cycle; `raised` how often each raised; `seconds` what a cycle took.
    """

    name: str
    unit: str
    blocks: tuple[Block, ...]
    growths: Mapping[str, Growth]
    causes: Causes = field(default_factory=Causes)
    allocations: tuple[Allocations, ...] = ()
    ended: str = ""
    calls: Mapping[str, float] = field(default_factory=dict)
    raised: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def cycles(self) -> int:
        """How far it was followed."""
        return sum(block.cycles for block in self.blocks)

    def grows(self, meter: str) -> Growth:
        """The verdict on a meter; undecided where it was not read."""
        return self.growths.get(meter) or Growth(OPEN, 0.0, 0)


def sides_of(traces: Sequence[Trace], control: Sequence[Trace] = ()) -> tuple[Side, ...]:
    """The sides that were played in one place, less what the control grows by in as many cycles."""
    theirs = {side.name: side for side in _sides(control)}
    return tuple(_less(side, theirs.get(side.name)) for side in _sides(traces))


def _sides(traces: Sequence[Trace]) -> Iterator[Side]:
    if not any(trace.scenario.traits.growth for trace in traces):
        return
    direct = all(trace.scenario.manager == DIRECT for trace in traces)
    called = any(trace.scenario.option(OF_FUNCTION) for trace in traces)
    whole = _lifecycles(traces, CALL if called else "cycle" if direct else "launch")
    if whole is not None:
        yield whole
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
    played = [trace for trace in traces if trace.scenario.traits.growth == traits.WHOLE_EPISODES]
    if not played:
        return None
    causes = _causes(played)
    last = played[-1]
    return _side(LONG, "episode", _blocks_in([last]), "create", causes, [], last.cut_short)


def _lifecycles(traces: Sequence[Trace], unit: str) -> Side | None:
    played = [trace for trace in traces if trace.scenario.traits.growth == traits.LIFECYCLES]
    warm = [trace for trace in traces if trace.scenario.traits.growth == traits.LIFECYCLE_WARM_UP]
    if not played and not warm:
        return None
    found = [block for trace in _since_cleared(traces) for block in _blocks_in([trace])]
    return _side(
        WHOLE,
        unit,
        found,
        "create",
        _causes([each for each in traces if each.scenario.traits.growth in LIFECYCLE_CENSUS]),
        [fact for fact in _allocations(traces) if not fact.open],
        (played or warm)[-1].cut_short,
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
    played = [trace for trace in traces if trace.scenario.traits.growth == traits.OPEN_INSTANCE]
    warm = [trace for trace in traces if trace.scenario.traits.growth == traits.OPEN_WARM_UP]
    if not played and not warm:
        return None
    side = _side(
        INSTANCE,
        "reset",
        _blocks_in(played[-1:]),
        "reset",
        _causes([each for each in traces if each.scenario.traits.growth in OPEN_CENSUS]),
        [fact for fact in _allocations(traces) if fact.open],
        (played or warm)[-1].cut_short,
    )
    return replace(side, growths=_unless_bounded(side))


def _unless_bounded(side: Side) -> dict[str, Growth]:
    """The verdicts of an instance that stayed open. Where all that got longer in it has a bound, it
    is filling; where its containers were not looked at (no time was left), it is undecided.
    """
    found, looked = dict(side.growths), side.causes.cycles > 0
    bounded = any(cache.maxsize and not cache.cleared for cache in side.causes.caches)
    if looked and (side.causes.holders or not bounded):
        return found
    kind = FILLING if looked else OPEN
    return {
        meter: replace(growth, kind=kind) if growth.kind == LEAK and not _few(meter) else growth
        for meter, growth in found.items()
    }


def _few(meter: str) -> bool:
    """Whether a meter counts things that a container with a bound does not explain."""
    return meter not in (*COUNTED, "heap", "data")


def _managed(traces: Sequence[Trace]) -> Iterator[Side]:
    """Resets of a manager that stayed open, as its parent and each of its workers saw them."""
    played = [trace for trace in traces if trace.scenario.traits.growth == traits.WORKERS]
    shared = _blocks_in(played)
    if not shared:
        return
    ended = played[-1].cut_short
    yield _side(PARENT, "reset", shared, "reset", Causes(), [], ended)
    workers: dict[int, list[tuple[int, WorkerSpan]]] = {}
    for block in shared:
        for worker in block.workers:
            workers.setdefault(worker.pid, []).append((block.calls("reset"), worker))
    for number, seen in enumerate(workers.values(), start=1):
        blocks = tuple(Block(resets, rises(worker)) for resets, worker in seen if resets)
        yield Side(f"worker {number}", "reset", blocks, verdicts(blocks), ended=ended)


def _side(
    name: str,
    unit: str,
    found: Sequence[PlayedBlock],
    counted: str,
    causes: Causes,
    allocations: Sequence[Allocations],
    ended: str,
) -> Side:
    """A side of blocks as they were journalled; a cycle is a call of the operation `counted`."""
    read = [block for block in found if block.calls(counted)]
    blocks = tuple(Block(block.calls(counted), rises(block)) for block in read)
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
            if (number := sum(block.failures(operation) for block in found))
        },
        sum(block.seconds for block in read) / cycles,
    )


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
    """What memray saw; `open` where one instance stayed open."""
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
    caches = [cache for each in traces for found in each.facts(Suspects) for cache in found.caches]
    reached = {
        "threads": fact.threads,
        "processes": fact.processes,
        "instances": fact.instances,
    }
    return Causes(
        tuple(_holder(told) for told in fact.holders if told.unbounded),
        passes,
        rest,
        tuple(told for told in fact.holders if not told.unbounded),
        fact.types,
        tuple({cache.what: cache for cache in caches}.values()),
        fact.longer,
        {name: number / max(1, fact.cycles) for name, number in reached.items()},
        fact.cycles,
    )


_EXPLAINED = (traits.LIFECYCLE_CAUSES, traits.OPEN_CAUSES)


def _holder(told: GrownHolder) -> Holder:
    return Holder(
        told.chain,
        told.type,
        told.element or "",
        told.overhead or 0.0,
        told.handle or "",
        bool(told.instance),
        told.beside or "",
        told.lines,
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
    return tuple(Pass(number, tuple(found)) for number, found in passes.items()), blocks


def rises(block: Span) -> dict[str, int]:
    """By how much each meter of a block's readings rose. Mapped memory is what is mapped besides
    malloc's, and without what garbage took until the collector ran: it cannot always be given back,
    and the longer the block, the more of it there is.
    """
    before, after = block.before, block.after
    found = {meter: after[meter] - before[meter] for meter in after if meter in before}
    waiting = block.uncollected.after if block.uncollected else {}
    if "data" in found and "malloc" in found:
        found["data"] -= found["malloc"]
        garbage = waiting.get("python", 0) - after.get("python", 0)
        if 0 < found["data"] <= garbage:
            found["data"] = 0
    elif "data" in found and "heap" in waiting:
        garbage = max(0, waiting["heap"] - after["heap"])
        found["data"] -= min(max(0, found["data"]), garbage)
    return found


def _rise(block: PlayedBlock, meter: str) -> int | None:
    """By how much a meter rose in a block; memory without the containers that are watched, whose
    own size goes by leaps.
    """
    found = _rises_without_containers(block)
    if meter != MEMORY or "heap" not in found:
        return found.get(meter)
    return found["heap"] + found.get("python", 0)


def _rises_without_containers(block: PlayedBlock) -> dict[str, int]:
    """By how much each meter of a block rose, malloc's bytes without the containers that are
    watched. A dict that is cut back again and again makes a smaller table now and then: 8672 bytes
    less in one block of 14112, so that a leak of 2016 bytes a cycle had no steady pace.
    """
    found = rises(block)
    if "heap" in found:
        found["heap"] -= sum(block.sizes)
    return found
