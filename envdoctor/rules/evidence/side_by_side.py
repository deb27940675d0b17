"""Instances that were used side by side, each beside one that was alone: what changed in one
because of the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from envdoctor.model.events import Event
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import Comparison, differs, moment, what_differs

NAMES = ("first", "second")
DOINGS = {
    "reset": "resetting",
    "reseed": "seeding",
    "step": "stepping",
    "close": "closing",
    "drop": "collecting",
}
GLOBALS = ("numpy.random", "random", "torch")  # random states that a whole process shares


@dataclass(frozen=True)
class Change:
    """One of two instances (`number`) returned what it does not return when it is alone."""

    played: Trace
    number: int
    comparison: Comparison

    @property
    def cause(self) -> str:
        """What was done to the other instance last before that, as the subject of a sentence."""
        return cause(self.played, self.at, self.number)

    @property
    def at(self) -> int:
        """The verb in which it showed: its place in the script."""
        return _verb_of(self.played, self.number, self.comparison)

    @property
    def words(self) -> str:
        """What differs, and when."""
        return (
            f"{what_differs(self.comparison, 'then', 'and, when it is alone,')},"
            f" {moment(self.comparison)}"
        )


def changes(view: View) -> list[Change]:
    """What changed in either instance. Once the proof was played, it alone counts."""
    played = view.trace("undisturbed") or view.trace("two-at-once")
    told = played.fact("side-by-side") if played else None
    if played is None or told is None or differs(told["alone"]):
        return []
    return [
        Change(played, number, comparison)
        for number, comparison in enumerate(told["instances"])
        if differs(comparison)
    ]


def not_reproducible(view: View) -> str:
    """Why the two cannot be compared with one that is alone, or nothing."""
    played = view.trace("undisturbed") or view.trace("two-at-once")
    alone: Comparison = ((played.fact("side-by-side") or {}) if played else {}).get("alone") or {}
    if not differs(alone):
        return ""
    return (
        "what two instances return could not be compared: alone, it is not reproducible"
        f" ({what_differs(alone)}, {moment(alone)})"
    )


def cause(both: Trace, at: int, number: int) -> str:
    """What was done last to the other instance before the verb at a place, as the subject of a
    sentence.
    """
    done = [event for event in _done_to(both, 1 - number, "ended", "raised") if event["at"] < at]
    doing = DOINGS.get(_call(done[-1]), "making") if done else "making"
    return f"{doing} the {NAMES[1 - number]} instance"


def shared_generators(played: Trace) -> list[str]:
    """The random states of the whole process that changed in a reset, or from one reset to the
    next.
    """
    states = [
        event["random"] for event in played.of("instance", what="reset") if event.get("random")
    ]
    ordered = [state for one in states for state in (one["before"], one["after"])]
    return [
        name for name in GLOBALS if len({state[name] for state in ordered if name in state}) > 1
    ]


def _verb_of(both: Trace, number: int, comparison: Comparison) -> int:
    """The verb in which the difference showed; steps are counted from the instance's first
    reset.
    """
    difference, steps = comparison["difference"], 0
    own = list(_done_to(both, number))
    for event in own:
        steps += int(event.get("steps") or 0)
        if steps >= difference["step"] and (difference["call"] == "reset" or steps):
            return int(event["at"])
    return int(own[-1]["at"]) if own else 0


def _done_to(both: Trace, number: int, *states: str) -> Iterator[Event]:
    return (
        event
        for event in both.of("verb")
        if event["state"] in (states or ("ended",)) and str(event["verb"]).endswith(f"@{number}")
    )


def _call(event: Event) -> Any:
    return event["verb"].split(":")[0].split("@")[0]
