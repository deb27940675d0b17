"""Scenarios that are left out where to build and reset one instance takes long: a whole examination
has some fifty of them. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import DIRECT, Scenario, verb_name
from envdoctor.model.trace import Trace
from envdoctor.model.units import duration
from envdoctor.plan.leak_session import seconds_of

SLOW = 10.0  # seconds for the constructor and the first reset() of one instance
ROOM = 240.0  # seconds for all scenarios, where it is slow
ALONE = 0.6  # of them, for what is played without a manager
#: Verbs that make an instance.
MAKING = ("make", "relaunch", "replay", "check")

CALLS = {"make": "the constructor", "reset": "the first reset()"}


def reason(scenario: Scenario, traces: Sequence[Trace]) -> str:
    """Return why the time does not suffice for a scenario, or nothing. Seconds are those that
    earlier scenarios recorded, which a busy machine does not lengthen.
    """
    slow = slow_call(traces)
    if not slow or scenario.control or scenario.traits.surveys or scenario.traits.growth:
        return ""
    room = ROOM * (ALONE if scenario.manager == DIRECT else 1.0)
    makes = [word for word in scenario.script.split() if verb_name(word) in MAKING]
    needs = len(makes) * _slowest_first(traces)[2]
    return slow if sum(map(seconds_of, traces)) + needs > room else ""


def slow_call(traces: Iterable[Trace]) -> str:
    """Return why the time will not suffice for all that could be played, or nothing."""
    call, seconds, both = _slowest_first(traces)
    if both < SLOW:
        return ""
    return f"{call} takes {duration(seconds)}: --budget gives the rest more time"


def _slowest_first(traces: Iterable[Trace]) -> tuple[str, float, float]:
    """The slower of the two calls that begin an instance, its seconds, and those of both together,
    in the plain life.
    """
    life = next((trace for trace in traces if trace.scenario.traits.plain), None)
    took = dict.fromkeys(CALLS, 0.0)
    for event in life.records(VerbRecord, state="ended") if life else ():
        name = verb_name(event.verb)
        if name in took:
            took[name] = max(took[name], event.seconds)
    slower = max(took, key=lambda name: took[name])
    return CALLS[slower], took[slower], sum(took.values())
