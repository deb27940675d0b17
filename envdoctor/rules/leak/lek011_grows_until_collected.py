"""Memory grows until the garbage collector runs.

What it does
    Plays blocks of whole cycles with the garbage collector switched off, reads, collects, and reads
    again. What only the collector brought back is garbage in reference cycles. It is reported from
    1 MiB a cycle on, or when a descriptor, a thread, a process or shared memory hangs on it; small
    cycles do no harm. A last pass names the line that makes it, which may be a wrapper's: then the
    environment leaves no such cycles where it is played without that wrapper.

Why it matters
    The collector counts objects, not bytes. Frames of 100 KiB that refer to each other wait for 700
    others: 70 MiB come and go, and in a process with few objects, or with the collector switched
    off for speed, they only come.

How to fix it
    Cut the cycle as soon as it is of no use, or let one side be weak:

        frame.after = weakref.ref(following)
        self._callbacks.clear()
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from math import ceil

from envdoctor.model.environment_aims import BreakCycle
from envdoctor.model.errors import Frame
from envdoctor.model.evidence import read_evidence
from envdoctor.model.facts import Garbage, GarbageOrigin, as_json
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import WARNING, Finding, Location
from envdoctor.model.meters import HEAP
from envdoctor.model.units import size
from envdoctor.rules.close.cls013_freed_only_by_collector import handles_freed_late, kept_alive
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, fact, played_block, trace
from envdoctor.rules.engine.measures import Evidence
from envdoctor.rules.engine.registry import EVERYTHING, WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.freed_late import survivors_of_close
from envdoctor.rules.evidence.growth import (
    garbage,
    garbage_of_open_instance,
    is_function,
    objects_of_garbage,
)
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.layers import wrapped_evidence
from envdoctor.rules.evidence.repeated import too_few_steps
from envdoctor.rules.wording.growth import CALLS
from envdoctor.rules.wording.leftovers import listing

HANDLES = {
    "descriptors": ("descriptor", "descriptors"),
    "threads": ("thread", "threads"),
    "processes": ("process", "processes"),
    "segments": ("piece of shared memory", "pieces of shared memory"),
}
SENSORS = {**{meter: meter for meter in HANDLES}, "segments": "shared-memory"}
#: The rules on what close() leaves of each.
RETURNED = {
    "descriptors": Cause.DESCRIPTORS_LEFT,
    "threads": Cause.THREADS_LEFT,
    "processes": Cause.PROCESSES_LEFT,
    "segments": Cause.SHARED_MEMORY_LEFT,
}
LEAST_BYTES, LEAST = 2**20, 0.75  # a cycle: of memory, and of handles


#: Meters that a baseline compares, and what they are called there.
COMPARED = {
    "descriptors": "descriptors",
    "heap": "bytes",
    "processes": "processes",
    "threads": "threads",
}


@dataclass(frozen=True)
class WaitingGarbage:
    """Evidence: by meter, the garbage of each cycle."""

    per_cycle: Mapping[str, float] = field(default_factory=dict)


def waiting_amounts(evidence: Evidence) -> Mapping[str, float]:
    """Return the garbage of each cycle."""
    per_cycle = read_evidence(WaitingGarbage, evidence).per_cycle
    return {
        f"{noun} waiting per cycle": per_cycle[meter]
        for meter, noun in COMPARED.items()
        if meter in per_cycle
    }


def _unseen(view: View) -> str:
    return kept_alive(view) or too_few_steps(view)


@rule(
    "LEK011",
    "grows-until-collected",
    explains=Cause.GARBAGE_GROWS,
    severity=WARNING,
    where=WHERE_PLAYED,
    needs=("leak",),
    meters=("objects", "heap"),
    unjudged=_unseen,
    counts=waiting_amounts,
    gives_way=(Cause.FREED_BY_COLLECTOR, *RETURNED.values()),
    also_reads=(EVERYTHING,),
    follow_ups=("waste", "origin"),
)
def grows_until_collected(view: View) -> Iterator[Finding]:
    waiting = garbage(view)
    memory = waiting.get(HEAP, 0.0)
    handles = [
        f"{waiting[meter]:.0f} {text if round(waiting[meter]) == 1 else many}"
        for meter, (text, many) in HANDLES.items()
        if waiting.get(meter, 0.0) >= LEAST
    ]
    if memory < LEAST_BYTES and not handles:
        return
    what = listing([*handles, *([size(memory)] if memory >= 1000 else [])])
    cycle = CALLS["call" if is_function(view) else "cycle"][0]
    run = view.direct.trace("waste")
    waste = (run.fact(Garbage) if run else None) or Garbage()
    layer = _layer(view)
    line = layer.origin or next((Location(each.file, each.line) for each in waste.lines), None)
    place = f"{short(line.file)}:{line.line}" if line else ""
    made = f", made at {place}," if line and not layer.origin else ""
    cycles = f"reference cycles that {place} makes" if layer.origin else "reference cycles"
    yield grows_until_collected.finding(
        f"every {cycle} leaves {what}{made} to the garbage collector: {cycles} keep it"
        f" until then{_pile(view, waste, memory)}",
        _cure(view, bool(handles)),
        aim=BreakCycle(Frame(line.file, line.line)) if line and not is_function(view) else None,
        location=_place(view, layer, line) or view.locate("step"),
        evidence={
            **as_json(
                WaitingGarbage(
                    {
                        meter: amount
                        for meter, amount in waiting.items()
                        if amount or meter in COMPARED
                    }
                )
            ),
            **wrapped_evidence(view),
        },
        explained_by=_explanations(view, waiting),
    )


def _layer(view: View) -> GarbageOrigin:
    """The layer of a wrapped environment that makes the cycles, where that was looked for."""
    facts = (run.fact(GarbageOrigin) for run in view.direct.optional("origin"))
    return next(filter(None, facts), GarbageOrigin())


def _place(view: View, layer: GarbageOrigin, line: Location | None) -> Location | None:
    """Return the line to mend. Who allocates what waits need not make the cycle that keeps it: a
    wrapper's line is named only where nothing speaks against it.
    """
    return None if layer.ambiguous and view.wrapper_at(line) else line


def _pile(view: View, waste: Garbage, memory: float) -> str:
    """Return how much waits at most before the collector runs: it counts objects."""
    objects = objects_of_garbage(view)
    if waste.enabled is False or waste.threshold == 0:
        return ", and it is switched off, so all of it stays"
    if not waste.threshold or not objects or memory < LEAST_BYTES:
        return ""
    most = max(1, ceil(waste.threshold / objects)) * memory
    return f"; it runs after {waste.threshold} objects, so up to {size(most)} wait"


def _cure(view: View, handles: bool) -> str:
    """A handle can be closed, also where other code made the cycle around it: sqlite3's connections
    are in one of their own.
    """
    if is_function(view):
        name = f"{view.class_name}()"
        return (
            f"Close it before {name} returns: what is closed waits for nothing."
            if handles
            else f"Cut the cycle before {name} returns: clear attributes that refer back, or make"
            " them weak references."
        )
    if handles:
        return (
            "Close it before the call that makes it returns; where the instance keeps it, before"
            f" another one takes its place and in {view.class_name}.close(): what is closed waits"
            " for nothing."
        )
    return (
        f"cut the cycle in {view.class_name} when it is of no use any more: clear attributes that"
        " refer back, or make them weak references."
    )


def _explanations(view: View, waiting: Mapping[str, float]) -> tuple[Cause, ...]:
    """The rules whose remedy takes all of it: what waits of closed instances goes with them; what
    close() leaves of one kind, a connection of sqlite3 in a cycle of its own, is closed there.
    """
    if not _are_closed_instances(view, waiting):
        return ()
    kinds = [meter for meter in HANDLES if waiting.get(meter, 0.0) >= LEAST]
    closes = [
        RETURNED[meter]
        for meter in kinds
        if len(view.left(SENSORS[meter], "held")) > waiting[meter] - LEAST
    ]
    return (Cause.FREED_BY_COLLECTOR, *closes) if len(kinds) == 1 else (Cause.FREED_BY_COLLECTOR,)


def _are_closed_instances(view: View, waiting: Mapping[str, float]) -> bool:
    """Return True if closed instances that wait for the collector account for it, up to an amount
    too small to report. Garbage of an open instance is not one of them, though it hangs on a closed
    one, too, in the end.
    """
    opened = garbage_of_open_instance(view)
    if opened.get(HEAP, 0.0) >= LEAST_BYTES or any(
        opened.get(meter, 0.0) >= LEAST for meter in HANDLES
    ):
        return False
    survivors = survivors_of_close(view)
    memory = survivors.bytes if survivors else 0
    late = Counter(key.partition(" ")[0] for key in handles_freed_late(view))
    handles = all(late[SENSORS[meter]] > waiting.get(meter, 0.0) - LEAST for meter in HANDLES)
    return handles and waiting.get(HEAP, 0.0) - memory < LEAST_BYTES


def _waiting(settled: str, **per_cycle: int) -> View:
    blocks = (7, 7, 7, 14)
    return direct_view(
        *(
            played_block(
                cycles,
                {settled: 0, "heap": 0},
                uncollected={meter: number * cycles for meter, number in per_cycle.items()},
            )
            for cycles in blocks
        )
    )


def _with_origin(view: View, **origin: object) -> View:
    line = {"file": "maze.py", "line": 5, "count": 9, "bytes": 9_000}
    waste = trace(fact("garbage", {"lines": [line]}), name="waste")
    layers = trace(fact("garbage-origin", origin), name="origin")
    return replace(direct_view(*view.traces, waste), optional_traces=(layers,))


EXAMPLES = (
    Example(
        "frames that know each other",
        _waiting("objects", objects=60, heap=2_000_000),
        "every cycle of make, reset, steps and close leaves 1.9 MiB to the garbage"
        " collector: reference cycles keep it until then",
    ),
    Example(
        "a socket in a cycle",
        _waiting("descriptors", descriptors=1, heap=600),
        "every cycle of make, reset, steps and close leaves 1 descriptor to the garbage"
        " collector: reference cycles keep it until then",
    ),
    Example(
        "the line that makes the cycles",
        _with_origin(
            _waiting("objects", objects=60, heap=2_000_000),
            origin={"file": "record.py", "line": 33, "function": "RecordVideo._stop"},
        ),
        "every cycle of make, reset, steps and close leaves 1.9 MiB to the garbage"
        " collector: reference cycles that record.py:33 makes keep it until then",
    ),
    Example("a small cycle does no harm", _waiting("objects", objects=9, heap=600)),
)
