"""The memory of a process that the environment started grows with every cycle.

What it does
    Reads how much memory each process below this one has written (anonymous pages and swap, from
    /proc/PID/smaps_rollup) before and after blocks of whole cycles, once two readings of it agree.
    Only a process that lives through a block counts: a simulator that each reset() starts anew is
    not followed, nor are workers of a vectorizer. It reports growth that keeps its pace to the end
    and comes to 12 MiB at least: a cache may hold less. Programs of Java, .NET, Node.js, Unity,
    Unreal, Chromium, Go and others with a collector of their own are not judged where they grow.

Why it matters
    Most simulators are processes of their own. No tool that looks at Python sees their memory, and
    after a day the machine ends the largest process, which is often the training.

How to fix it
    Have the simulator free in reset() what an episode made there. Where it is not yours to mend,
    start it anew from time to time:

        def reset(self, *, seed=None, options=None):
            self._episodes += 1
            if self._episodes % 1000 == 0:
                self._stop_simulator()
                self._start_simulator()
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import INSTANCE, LIFECYCLE, LONG
from envdoctor.model.facts import ChildMemory
from envdoctor.model.finding import WARNING, Finding
from envdoctor.model.meters import CHILD_MEMORY, meter_of
from envdoctor.model.trace import Trace
from envdoctor.model.traits import LIFECYCLES, OPEN_INSTANCE, WHOLE_EPISODES
from envdoctor.model.units import size
from envdoctor.rules.engine.examples import direct_view, fact, growing
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.growth import leaks_of
from envdoctor.rules.wording.growth import CALLS, horizon, many, per_million, report, single_call
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
        for memory in trace.facts(ChildMemory):
            for each in memory.processes:
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


GIBIBYTE = 1 << 30


@rule(
    "LEK014",
    "child-memory-grows",
    severity=WARNING,
    where=DIRECT_ONLY,
    needs=("leak",),
    meters=(CHILD_MEMORY,),
    unjudged=freed_later,
    grows="bytes of child processes",
)
def child_memory_grows(view: View) -> Iterator[Finding]:
    leaks = list(leaks_of(view, CHILD_MEMORY))
    for side in dict.fromkeys(leak.side for leak in leaks):
        leak = _together([leak for leak in leaks if leak.side == side])
        name, sizes = grown_child(view, leak)
        kept = " and ".join(
            f"{size(share)} for every {single_call(leak, operation)}"
            for operation, share in leak.shares.items()
        )
        message = f"{name} keeps memory: {kept}{per_million(leak)}; {sizes}{horizon(leak)}"
        yield report(child_memory_grows, view, leak, (message, _remedy(leak)), severity=WARNING)


def _together(leaks: list[Leak]) -> Leak:
    """One leak of what several operations keep: it is one process."""
    first = max(leaks, key=lambda leak: leak.rate)
    others = [leak for leak in leaks if leak is not first]
    shares = {name: share for leak in (first, *others) for name, share in leak.shares.items()}
    return replace(first, shares=shares, rate=sum(leak.rate for leak in leaks))


def _remedy(leak: Leak) -> str:
    """Return where it is freed, or how many calls a process lasts."""
    calls = max(1, round(GIBIBYTE / leak.shares[leak.operation]))
    return (
        f"free in that program what each {CALLS[leak.operation][0]} makes there. Where it is not"
        f" yours to mend, end it and start it anew in reset(): {calls:,} {many(leak)} take 1 GiB."
    )


_KIB = 1 << 10


def _followed(rise: int, collector: str = "") -> tuple[Trace, ...]:
    """A leak check in which one process grew by so much a cycle, from 9 MiB on."""
    traces, held = [], 9 << 20
    for trace in growing(**{CHILD_MEMORY: 0 if collector else rise}):
        cycles = int(trace.scenario.script.partition(":")[2].partition("x")[0])
        span = {"command": "simulator --port 7", "pid": 5, "before": held}
        held += rise * cycles
        texts = [{**span, "after": held, "collector": collector}]
        traces.append(replace(trace, events=(*trace.events, fact(CHILD_MEMORY, texts))))
    return tuple(traces)


EXAMPLES = (
    Example(
        "a simulator that keeps what each episode loads",
        direct_view(*_followed(64 * _KIB)),
        "the child process 'simulator --port 7' keeps memory: 64.0 KiB for every cycle of"
        " make, reset, steps and close: 61.0 GiB per million cycles; it grew from 9.0 MiB"
        " to 23.4 MiB, steady through 231 cycles",
    ),
    Example("as much as a cache may hold", direct_view(*_followed(32 * _KIB))),
    Example("Java frees it later", direct_view(*_followed(64 * _KIB, "Java"))),
    Example("it stands still", direct_view(*_followed(0))),
)
