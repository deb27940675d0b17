"""The scenarios of the leak check: from traces to blocks, designs and holders.

A *side* is one way of repeating an environment: whole lifecycles, resets of one instance that stays
open, launches of a manager, resets of one manager as its parent and as each worker sees them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property

from envdoctor.analysis.growth.attribution import (
    EVENT,
    MISFIT,
    NAMES,
    Design,
    PerOperation,
    attribute,
)
from envdoctor.analysis.growth.verdicts import OPEN, Block, Growth, tolerance
from envdoctor.model import traits
from envdoctor.model.facts import (
    Allocations,
    GrowingLine,
    GrownCache,
    GrownHolder,
    GrownType,
    LongerText,
)
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.meters import (
    ARENAS,
    DATA,
    HEAP,
    MALLOC,
    MEMORY,
    OBJECTS,
    PYTHON,
    TRACKED,
    meter_of,
)
from envdoctor.model.records import PlayedBlock, Span

#: The scenarios of the leak check: blocks of whole lifecycles, what explains their growth, and the
#: same of one instance that stays open; resets of a manager that stays open.
LIFECYCLES, LIFECYCLE_CAUSES = "leak", "leak-causes"
OPEN_INSTANCE, OPEN_CAUSES = "leak-open", "leak-open-causes"
WHOLE_EPISODES = "leak-episodes"
NEW_STATES = "leak-new-states"
MANAGED = "leak-workers"
SUSPECTS, ALLOCATIONS = "leak-suspects", "leak-memray"

#: The option of scenarios whose cycles are calls of a function.
OF_FUNCTION = "of_function"

#: Where a census of the heap is taken.
LIFECYCLE_CENSUS = (traits.SUSPECTS, traits.LIFECYCLE_CAUSES)
OPEN_CENSUS = (traits.OPEN_INSTANCE, traits.OPEN_CAUSES)

#: The sides, as reports name them.
LIFECYCLE, INSTANCE, PARENT, LONG = "", "one instance", "parent", "whole episodes"

#: The unit of a side whose cycles are calls of a function, and what its operation is called.
CALL = "call"

#: The key of tracked objects to which only instances of the environment's own class lead.
OF_INSTANCES = "instances"

COUNTED = (OBJECTS, TRACKED)


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
        native = meter in (HEAP, MEMORY)
        noise = tolerance(HEAP if native else meter)
        unsteady = native and self.is_unsteady
        misfit = 0.0 if meter_of(meter).thing else MISFIT
        return self._attributed(self.rises(meter), noise, unsteady, misfit)

    def misfit(self, meter: str) -> float:
        """By how much a block differs from what its calls take, at most, as a share of the largest
        rise. The collector's count changes with what it looks at: in a thread that computes, too.
        """
        per_operation, rises = self.per_operation(meter), [rise or 0 for rise in self.rises(meter)]
        most = max(map(abs, rises), default=0)
        if per_operation is None or not most:
            return 0.0
        misses = (
            abs(rise - sum(vars(per_operation)[name] * block.calls(name) for name in NAMES))
            for rise, block in zip(rises, self.blocks, strict=True)
        )
        return float(max(misses)) / most

    @cached_property
    def is_unsteady(self) -> bool:
        """True if threads or processes grew, for which tables of the interpreter are made anew in
        any of the blocks.
        """
        return any((self.rise(meter) or 0) > 0 for meter in ("threads", "processes"))

    def elements_per_operation(self, holder: int) -> PerOperation | None:
        """Growth of a container per call of each operation, in elements."""
        return self._attributed(
            [each[holder] if holder < len(each) else None for each in self.grown]
        )

    def calls(self, operation: str) -> int:
        """Return the calls of an operation in all blocks together."""
        return sum(block.calls(operation) for block in self.blocks)

    def _attributed(
        self,
        rises: Sequence[int | None],
        noise: int = 0,
        from_below: bool = False,
        misfit: float = MISFIT,
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
        return attribute(designs, max(EVENT, noise), from_below, misfit)


@dataclass(frozen=True)
class Causes:
    """The causes of a side's growth: holders, one pass more than there are of them (the first with
    nothing cut back), and the blocks of the rest. `longer` are texts and arrays that got longer.
    `threads`, `processes` and `instances` are how many tracked objects only they lead to, per
    cycle.
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
    def uncut(self) -> Pass | None:
        """The pass in which nothing was cut back."""
        return next((each for each in self.passes if each.cut == 0), None)


@dataclass(frozen=True)
class Side:
    """One side of one place: its blocks, its verdicts (less what the control grows by), what
    explains them, what memray saw, and why it ended early, if it did. `calls` is how often each
    operation ran in a cycle; `raised` how often each raised; `seconds` what a cycle takes.
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
        """The number of cycles in all blocks."""
        return sum(block.cycles for block in self.blocks)

    def calls_of(self, operation: str) -> float:
        """Return the calls of an operation in a cycle."""
        return self.calls.get(operation, 0.0)

    def grows(self, meter: str) -> Growth:
        """The verdict on a meter; undecided where it was not read."""
        return self.growths.get(meter) or Growth(OPEN, 0.0, 0)


def rises(block: Span) -> dict[str, int]:
    """By how much each meter of a block's readings rose. Mapped memory is what is mapped besides
    malloc's and the arenas of Python's objects. Where a reading does not have those, it is without
    what garbage took until the collector ran: it cannot always be given back, and the longer the
    block, the more of it there is.
    """
    before, after = block.before, block.after
    result = {meter: after[meter] - before[meter] for meter in after if meter in before}
    waiting = block.uncollected.after if block.uncollected else {}
    if DATA in result and MALLOC in result and ARENAS in result:
        result[DATA] -= result[MALLOC] + result[ARENAS]
    elif DATA in result and MALLOC in result:
        result[DATA] -= result[MALLOC]
        garbage = waiting.get(PYTHON, 0) - after.get(PYTHON, 0)
        if 0 < result[DATA] <= garbage:
            result[DATA] = 0
    elif DATA in result and HEAP in waiting:
        garbage = max(0, waiting[HEAP] - after[HEAP])
        result[DATA] -= min(max(0, result[DATA]), garbage)
    return result


def _rise(block: PlayedBlock, meter: str) -> int | None:
    """By how much a meter rose in a block; memory without the containers that are watched, whose
    own size goes by leaps.
    """
    rises_without_containers = _rises_without_containers(block)
    if meter != MEMORY or HEAP not in rises_without_containers:
        return rises_without_containers.get(meter)
    return rises_without_containers[HEAP] + rises_without_containers.get(PYTHON, 0)


def _rises_without_containers(block: PlayedBlock) -> dict[str, int]:
    """By how much each meter of a block rose, malloc's bytes without the containers that are
    watched. A dict that is cut back again and again makes a smaller table now and then: 8672 bytes
    less in one block of 14112, so that a leak of 2016 bytes a cycle had no steady pace.
    """
    result = rises(block)
    if HEAP in result:
        result[HEAP] -= sum(block.sizes)
    return result
