"""The memory of the processes that an environment started, in the blocks of a leak check."""

from __future__ import annotations

from dataclasses import dataclass

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import INSTANCE, LIFECYCLE, LONG
from envdoctor.model.facts import ChildMemory
from envdoctor.model.meters import CHILD_MEMORY, meter_of
from envdoctor.model.trace import Trace
from envdoctor.model.traits import LIFECYCLES, OPEN_INSTANCE, WHOLE_EPISODES
from envdoctor.model.units import size
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.leftovers import listing

#: In which scenarios the cycles of a side are played.
GROWTH_OF_SIDE = {LIFECYCLE: LIFECYCLES, INSTANCE: OPEN_INSTANCE, LONG: WHOLE_EPISODES}


@dataclass
class GrowingChild:
    """One process that lived through blocks of cycles: what it held before the first and after
    the last one, in bytes, and what it grew by in all.
    """

    command: str
    before: int
    collector: str = ""
    after: int = 0
    grew: int = 0


def children(view: View, side: str) -> list[GrowingChild]:
    """The processes that grew in the cycles of a side, the fastest first."""
    known: dict[int, GrowingChild] = {}
    traces = [trace for trace in view.traces if _is_of(trace, side)]
    for trace in traces if side == LIFECYCLE else traces[-1:]:
        for fact in trace.facts(ChildMemory):
            for each in fact.processes:
                child = known.setdefault(
                    each.pid, GrowingChild(each.command, each.before, each.collector)
                )
                child.after = each.after
                child.grew += each.after - each.before
    return sorted(
        (child for child in known.values() if child.grew > 0), key=lambda child: -child.grew
    )


def _is_of(trace: Trace, side: str) -> bool:
    return trace.scenario.traits.growth == GROWTH_OF_SIDE.get(side)


def freed_later(view: View) -> str:
    """Return which process grows whose own collector may free that later, or nothing."""
    grown = (child for side in GROWTH_OF_SIDE for child in children(view, side) if child.collector)
    for child in grown:
        if child.grew > (meter_of(CHILD_MEMORY).tolerance or 0):
            return (
                f"{listing([child.command])} grew by {size(child.grew)}, which the collector of"
                f" {child.collector} may still free"
            )
    return ""


def grown_child(view: View, leak: Leak) -> tuple[str, str]:
    """`the child process 'simulator --port 7'`, the one that grew most, and `it grew from 9.0 MiB
    to 65.2 MiB, `, where that was read.
    """
    grown = [child for child in children(view, leak.side) if not child.collector]
    if not grown:
        return "a child process", ""
    first = grown[0]
    more = f" (and {len(grown) - 1} more)" if len(grown) > 1 else ""
    name = f"the child process '{listing([first.command])}'{more}"
    return name, f"it grew from {size(first.before)} to {size(first.after)}, "
