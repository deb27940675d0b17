"""reset() or step() runs the garbage collector by hand.

What it does
    Switches automatic collections off during the resets and steps of a plain life, so that each one
    that still happens was asked for, and notes who asked and how long it took. Where it finds some,
    it plays whole cycles in which gc.collect() does nothing, and tells what then waits for the
    collector. A collection in the constructor or in close() is not reported.

Why it matters
    A collection walks through every object of the program, the agent's and the replay buffer's,
    too: 10 to 500 ms, at each step or episode. It is mostly there to hide that something is never
    let go, and it hides that from tools as well.

How to fix it
    Remove the call. If something then waits for the collector, cut the reference cycle that keeps
    it:

        frame.after = weakref.ref(following)    # not: frame.after = following
        self._callbacks.clear()                 # in close(): bound methods of self
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import BreakCycle
from envdoctor.model.errors import Frame
from envdoctor.model.events import Event
from envdoctor.model.facts import Garbage
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import WARNING, Finding, Location
from envdoctor.model.meters import HEAP
from envdoctor.model.records import VerbRecord
from envdoctor.model.remedy import Aim
from envdoctor.model.units import size
from envdoctor.rules.engine.examples import direct_view, fact, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.remedies.aims import remove

CALLS = ("reset", "step")


@dataclass(frozen=True)
class Hidden:
    """The garbage of a cycle when the environment does not call the collector, over so many
    cycles.
    """

    cycles: int
    objects: float
    memory: float
    chain: str


@rule(
    "API012",
    "collects-garbage-by-hand",
    severity=WARNING,
    where=DIRECT_ONLY,
    verb="reset",
    looks_at={"life": "reset step"},
    follow_ups=("uncollected",),
)
def collects_garbage_by_hand(view: View) -> Iterator[Finding]:
    events = calls_of_last_life(view)
    places = [place for event in events for place in event.collections]
    if not places:
        return
    most = max(places, key=lambda place: place.count)
    count, seconds = (sum(place.count for place in places), sum(place.seconds for place in places))
    steps, hidden = sum(event.steps for event in events), what_it_hides(view)
    at = f"{most.function}(), {short(most.file)}:{most.line}"
    yield collects_garbage_by_hand.finding(
        f"the garbage collector is run by hand {times(count)} in one reset() and {steps}"
        f" steps{share(seconds, events)}, at {at}{hidden_words(hidden)}",
        cure(view, at, hidden),
        aim=_aim(places, hidden),
        location=Location.at(most),
        evidence={
            "collections": [place.wire for place in places],
            "seconds": seconds,
            "steps": steps,
            "hidden": hidden.__dict__ if hidden else None,
        },
    )


def _aim(places: list[Frame], hidden: Hidden | None) -> Aim | None:
    """Without the calls; where they hide a cycle, without that, too."""
    if hidden is None or not hidden.objects:
        return remove(Location.at(place) for place in places)
    removes = tuple(Frame(each.file, each.line) for each in dict.fromkeys(places))
    return BreakCycle(chain=hidden.chain, removes=removes) if hidden.chain else None


def calls_of_last_life(view: View) -> list[VerbRecord]:
    """The resets and steps after the last make: a first life imports, and libraries may collect
    while they are imported.
    """
    run = view.trace("life")
    verbs = [event for event in run.records(VerbRecord) if event.state != "began"] if run else []
    last = max((index for index, event in enumerate(verbs) if event.verb == "make"), default=0)
    return [event for event in verbs[last:] if event.verb.split(":")[0] in CALLS]


def what_it_hides(view: View) -> Hidden | None:
    """Return the garbage that waited when gc.collect() did nothing; None where that is not
    known.
    """
    run = view.trace("uncollected")
    blocks = [event.block for event in run.verbs("block", "ended") if event.block] if run else []
    read = [
        (block, block.uncollected)
        for block in blocks
        if block.uncollected and block.calls("create")
    ]
    if run is None or not read:
        return None
    cycles = sum(block.calls("create") for block, _ in read)
    objects = sum(uncollected.garbage for _, uncollected in read)
    memory = sum(
        uncollected.after.get(HEAP, 0) - block.after.get(HEAP, 0) for block, uncollected in read
    )
    return Hidden(
        cycles, objects / cycles, max(0.0, memory / cycles), (run.fact(Garbage) or Garbage()).chain
    )


def times(count: int) -> str:
    """`once`, `21 times`."""
    return "once" if count == 1 else f"{count} times"


def share(seconds: float, events: list[VerbRecord]) -> str:
    """` (82 % of their time)`, where there was any."""
    total = sum(event.seconds for event in events)
    return f" ({min(100.0, 100 * seconds / total):.0f} % of their time)" if total else ""


def hidden_words(hidden: Hidden | None) -> str:
    """Describe what the calls hide, as the end of a sentence."""
    if hidden is None:
        return ""
    if not hidden.objects:
        return (
            f"; it hides nothing: without it, nothing waited for the collector in {hidden.cycles}"
            " cycles"
        )
    memory = f" with {size(hidden.memory)}" if hidden.memory >= 1000 else ""
    cycle = (
        f": a reference cycle keeps them, {hidden.chain}"
        if hidden.chain
        else " in reference cycles"
    )
    return (
        f"; without it, {hidden.objects:.0f} objects{memory} of each cycle of make, reset, steps"
        f" and close wait for the collector{cycle}"
    )


def cure(view: View, at: str, hidden: Hidden | None) -> str:
    if hidden is None or not hidden.objects:
        return f"remove the call at {at}."
    where = f" at {hidden.chain}" if hidden.chain else ""
    cut = (
        f"cut the reference cycle{where} when {view.class_name} has no use for it any more, or make"
        " one side a weakref.ref"
    )
    return f"{cut}, and remove the call at {at}."


_PLACE = {"file": "maze.py", "line": 31, "function": "Maze.step"}


def _life(collections: int) -> tuple[Event, ...]:
    heard = [{**_PLACE, "count": collections, "seconds": 0.03}] if collections else []
    return (
        verb("make"),
        verb("reset", at=1, seconds=0.01),
        verb("step:20", at=2, seconds=0.04, steps=20, collections=heard),
    )


def _cycles(objects: int, memory: int) -> Event:
    after = {"heap": 1000}
    uncollected = {"before": after, "after": {"heap": 1000 + memory}, "garbage": objects}
    return verb(
        "block:7x1x20",
        block={"creates": 7, "before": after, "after": after, "uncollected": uncollected},
    )


def _example(objects: int, memory: int, chain: str = "") -> View:
    result = fact("garbage", {"cycles": 7, "types": [], "chain": chain})
    return direct_view(
        trace(*_life(20)),
        trace(
            _cycles(objects, memory), result, name="uncollected", script="uncollected block:7x1x20"
        ),
    )


_BY_HAND = (
    "the garbage collector is run by hand 20 times in one reset() and 20 steps (60 % of their"
    " time), at Maze.step(), maze.py:31"
)

EXAMPLES = (
    Example("at each step", direct_view(trace(*_life(20))), _BY_HAND),
    Example(
        "and nothing is behind it",
        _example(0, 0),
        f"{_BY_HAND}; it hides nothing: without it, nothing waited for the collector in 7 cycles",
    ),
    Example(
        "it hides frames that know each other",
        _example(280, 14_000_000, "maze.Frame.after.before"),
        f"{_BY_HAND}; without it, 40 objects with 1.9 MiB of each cycle of make, reset,"
        " steps and close wait for the collector: a reference cycle keeps them,"
        " maze.Frame.after.before",
    ),
    Example("only the first life, which imports", direct_view(trace(*_life(1), *_life(0)))),
    Example("never", direct_view(trace(*_life(0)))),
)
