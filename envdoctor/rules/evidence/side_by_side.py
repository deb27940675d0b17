"""Instances that were used side by side, each beside one that was alone: what changed in one
because of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from envdoctor.model.facts import Comparison, Finalizer, SharedState, SideBySide
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import InstanceRecord, VerbRecord
from envdoctor.model.scenario import verb_name
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import by_chance, moment, what_differs

NAMES = ("first", "second")
DOINGS = {
    "reset": "resetting",
    "reseed": "seeding",
    "step": "stepping",
    "render": "rendering",
    "picture": "rendering",
    "close": "closing",
    "drop": "collecting",
    "free": "collecting",
}
GLOBALS = ("numpy.random", "random", "torch")  # random states that a whole process shares


@dataclass(frozen=True)
class InstanceChange:
    """One of two instances (`number`) returned what it does not return when it is alone."""

    trace: Trace
    number: int
    comparison: Comparison

    @property
    def cause(self) -> str:
        """The last action on the other instance before that, as the subject of a sentence."""
        return cause(self.trace, self.at, self.number)

    @property
    def at(self) -> int:
        """The verb in which it showed: its place in the script."""
        return _verb_of(self.trace, self.number, self.comparison)

    @property
    def is_drawn(self) -> bool:
        """Images differ, and nothing that step() and reset() return before them."""
        return self.comparison.first.call == "render"

    @property
    def finalizer(self) -> Finalizer | None:
        """The __del__() that ran when the other one was freed, if that was the last done to it."""
        is_freed = _last_call(self.trace, self.at, self.number) == "free"
        return self.trace.fact(Finalizer) if is_freed else None

    @property
    def words(self) -> str:
        """The difference and its moment."""
        step = self.comparison.first.step
        if self.is_drawn:
            return f"the image of render() is not what it is when it is alone, after step {step}"
        return (
            f"{what_differs(self.comparison.first, 'then', 'and, when it is alone,')},"
            f" {moment(self.comparison.first)}"
        )


def changes(view: View) -> list[InstanceChange]:
    """Return the changes of either instance. Once the proof was played, it alone counts."""
    return changes_in(view.trace("undisturbed") or view.trace("two-at-once"))


def changes_in(trace: Trace | None) -> list[InstanceChange]:
    """Return the changes in either instance of a scenario."""
    reported = trace.fact(SideBySide) if trace else None
    if trace is None or reported is None or reported.alone.differs:
        return []
    return [
        InstanceChange(trace, number, comparison)
        for number, comparison in enumerate(reported.instances)
        if comparison.differs
    ]


def not_reproducible(view: View) -> str:
    """Return the reason why the two cannot be compared with one that is alone, or nothing."""
    trace = view.trace("undisturbed") or view.trace("two-at-once")
    reported = trace.fact(SideBySide) if trace else None
    alone = reported.alone if reported and reported.alone.differs else by_chance(view)
    if reported is None or alone is None:
        return ""
    return (
        "what two instances return could not be compared: alone, it is not reproducible"
        f" ({what_differs(alone.first)}, {moment(alone.first)})"
    )


def cause(both: Trace, at: int, number: int) -> str:
    """Return the last action on the other instance before the verb at a place, as the subject of a
    sentence.
    """
    return f"{DOINGS.get(_last_call(both, at, number), 'making')} the {NAMES[1 - number]} instance"


def interferes_in_play(view: View) -> bool:
    """Return whether instances interfere without a manager while both of them play, as they do
    under one that has them in one process. What closing or collecting one does shows after that.
    """
    calls = (_last_call(each.trace, each.at, each.number) for each in changes(view))
    return any(call not in ("close", "drop") for call in calls)


def _last_call(both: Trace, at: int, number: int) -> str:
    """The call that was made last of the other instance before the verb at a place."""
    done = [event for event in _done_to(both, 1 - number, "ended", "raised") if event.at < at]
    return verb_name(done[-1].verb) if done else "make"


def shared_generators(trace: Trace) -> list[str]:
    """The random states of the whole process that are drawn from: they change in a later reset of
    an instance, or from one reset to the next. Where none does, those that change in the first: its
    seed may set what is never drawn from. Case: momaland, which seeds two and draws from one.
    """
    states = [
        (event.resets, event.random.before, event.random.after)
        for event in trace.records(InstanceRecord, what="reset")
        if event.random
    ]
    within = [(before, after) for _, before, after in states]
    later_ones = [(before, after) for number, before, after in states if number > 1]
    between = [(earlier[2], later[1]) for earlier, later in pairwise(states)]
    return _changed([*later_ones, *between]) or _changed(within)


def _changed(pairs: Iterable[tuple[Mapping[str, str], Mapping[str, str]]]) -> list[str]:
    """The generators of the process whose state is another one afterwards."""
    known = list(pairs)
    return [
        name
        for name in GLOBALS
        if any(
            name in before and name in after and before[name] != after[name]
            for before, after in known
        )
    ]


def shared_state(view: View) -> SharedState:
    """Return what two instances share and change, as far as it was tried."""
    facts = (trace.fact(SharedState) for trace in view.optional("apart"))
    return next(filter(None, facts), SharedState())


def _verb_of(both: Trace, number: int, comparison: Comparison) -> int:
    """The verb in which the difference showed; steps are counted from the instance's first
    reset.
    """
    difference, steps = comparison.first, 0
    own = list(_done_to(both, number))
    for event in own:
        steps += event.steps
        if steps >= difference.step and (difference.call == "reset" or steps):
            return event.at
    return own[-1].at if own else 0


def _done_to(both: Trace, number: int, *states: str) -> Iterator[VerbRecord]:
    return (
        event
        for event in both.records(VerbRecord)
        if event.state in (states or ("ended",)) and event.verb.endswith(f"@{number}")
    )
