"""Scenarios that are left out where to build and reset one instance takes long, and steps that are
where steps do: a whole examination has some fifty scenarios. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import BEGINNINGS, DIRECT, SERVICE_COUNT, Scenario, verb_name
from envdoctor.model.trace import TIMED_OUT, Trace
from envdoctor.model.units import duration
from envdoctor.plan.costs import costs_of
from envdoctor.plan.leak_session import FOLLOWING, QUICK, Effort, seconds_of
from envdoctor.plan.scenarios import PLAIN, PROVING, SURVEY

SLOW = 10.0  # seconds for the constructor and the first reset() of one instance
ROOM = 240.0  # seconds for all scenarios, where it is slow
ALONE = 0.6  # of them, for what is played without a manager
STEPPING = 3.0  # seconds for all steps of one scenario without a manager, with the resets between
FEWEST = 3  # of them in a row
BEGINNING = 0.5  # seconds of a plain life, above which what begins 50 times is left out
COPIES = 30.0  # seconds for all copies in which remedies are tried
COPIED = (SURVEY.name, PLAIN.name, *PROVING)  # what is played in each
CURE = 2  # of them that a cure takes: with the edit, and without
#: Cycles in which a trial decides on growth at least: 16 of an instance each, and 27 resets of one
#: that stays open; and the most seconds for them.
LEAST_CYCLES, MOST_SECONDS = 43, 60.0
HANGING = 3  # of them where a call hangs: each that is not cured waits for it once more
#: Verbs that make an instance.
MAKING = ("make", "relaunch", "replay", "check")

CALLS = {"make": "the constructor", "reset": "the first reset()"}


def reason(scenario: Scenario, traces: Sequence[Trace]) -> str:
    """Return why the time does not suffice for a scenario, or nothing. Seconds are those that
    earlier scenarios recorded, which a busy machine does not lengthen.
    """
    slow = slow_call(traces)
    if scenario.name == BEGINNINGS:
        return slow or _slow_life(traces)
    if not slow or scenario.control or scenario.traits.surveys or scenario.traits.growth:
        return ""
    room = ROOM * (ALONE if scenario.manager == DIRECT else 1.0)
    makes = [word for word in scenario.script.split() if verb_name(word) in MAKING]
    needs = len(makes) * _slowest_first(traces)[2]
    return slow if sum(map(seconds_of, traces)) + needs > room else ""


def _slow_life(traces: Sequence[Trace]) -> str:
    """Return that a plain life takes long, or nothing. What it does for each of its few steps, it
    does for each of many: a close() of 2 s would be one of a minute.
    """
    plain = next((trace for trace in traces if trace.scenario == PLAIN), None)
    made = len(plain.verbs("make", "ended")) if plain is not None else 0
    seconds = seconds_of(plain) / made if plain is not None and made else 0.0
    return f"a plain life takes {duration(seconds)}" if seconds > BEGINNING else ""


def shortened(scenario: Scenario, traces: Sequence[Trace]) -> Scenario:
    """The scenario with as few steps in a row as the time suffices for, as the plain life tells:
    where an episode is short, slow resets are among them. How many there were is recorded.
    """
    traits = scenario.traits
    if scenario.manager != DIRECT or scenario.control:
        return scenario
    if traits.plain or traits.growth or traits.on_demand:  # to name a line, all is played again
        return scenario
    words = scenario.script.split()
    rows = {at: _in_a_row(word) for at, word in enumerate(words) if _in_a_row(word) > FEWEST}
    costs = (
        costs_of(trace for trace in traces if trace.scenario.manager == DIRECT) if rows else None
    )
    needs = costs.step * sum(rows.values()) if costs else 0.0
    if needs <= STEPPING:
        return scenario
    for at, steps in rows.items():
        words[at] = f"step:{max(FEWEST, int(steps * STEPPING / needs))}"
    return replace(scenario, script=" ".join(words))


def copies(traces: Iterable[Trace], most: int) -> int:
    """Return how many copies are played to try remedies: as many as the time suffices for, `most`
    where they are quick; 0 where a cure does not fit. A cure of a call that hangs does not.
    """
    alone = [trace for trace in traces if trace.scenario.manager == DIRECT]
    ended = [trace for trace in alone if trace.outcome.kind != TIMED_OUT]
    each = sum(seconds_of(trace) for trace in ended if trace.scenario.name in COPIED)
    most = most if len(ended) == len(alone) else min(most, HANGING)
    fitting = min(most, int(COPIES / max(each, 1e-6)))
    return fitting if fitting >= CURE else 0


def effort_of_trial(traces: Sequence[Trace]) -> Effort:
    """Return how growth is looked for in a trial: quickly, or as long as the least takes that
    decides, where calls are slow.
    """
    costs = costs_of(trace for trace in traces if trace.scenario.manager == DIRECT)
    least = LEAST_CYCLES * costs.cycle(1) / FOLLOWING if costs is not None else 0.0
    counted = next(filter(None, (trace.scenario.option(SERVICE_COUNT) for trace in traces)), "")
    seconds = max(QUICK.seconds, min(least, MOST_SECONDS))
    return replace(QUICK, seconds=seconds, service_count=counted)


def _in_a_row(word: str) -> int:
    """The steps of a verb, of the only instance."""
    name, _, number = word.partition(":")
    return int(number) if name == "step" and number.isdigit() else 0


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
