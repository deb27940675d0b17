"""Scenarios that are still played where the first reset() of each instance takes long."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model.scenario import SERVICE_COUNT, Scenario
from envdoctor.model.trace import FINISHED, TIMED_OUT, Outcome, Trace
from envdoctor.plan.scenarios import (
    DIRECT_SCRIPTS,
    OTHER_SEEDS,
    OVERWRITING,
    PLAIN,
    SURVEY,
    vector_life,
)
from envdoctor.plan.slow_calls import copies, effort_of_trial, reason, shortened, slow_call

REUSE, TWO, MANY = (
    Scenario(name, DIRECT_SCRIPTS[name]) for name in ("reuse", "two-at-once", "beginnings")
)
PICKLE = Scenario("pickle", "pickle")
FORKED = vector_life("gymnasium-async", "fork")


def played(scenario: Scenario, spent: float, **seconds: float) -> Trace:
    events = [
        {"event": "verb", "t": 0.0, "pid": 1, "verb": verb, "state": "ended", "seconds": took}
        for verb, took in seconds.items()
    ]
    end = {"event": "scenario", "t": 0.0, "pid": 1, "state": "ended", "dirty": [], "seconds": spent}
    return Trace(scenario, Outcome(FINISHED), (*events, end))


@pytest.mark.parametrize(
    ("spent", "scenario", "fits"),
    [
        (72.0, REUSE, True),
        (60.0, TWO, True),
        (100.0, TWO, False),
        (140.0, REUSE, False),
        (140.0, PICKLE, True),  # no instance is made in it
        (140.0, FORKED, True),
        (239.0, FORKED, False),
        (239.0, replace(FORKED, control=True), True),
        (239.0, SURVEY, True),
    ],
)
def test_time_is_kept_for_managers(spent: float, scenario: Scenario, fits: bool) -> None:
    traces = [played(PLAIN, spent, make=0.1, reset=36.0)]
    told = "the first reset() takes 36 s: --budget gives the rest more time"
    assert reason(scenario, traces) == ("" if fits else told)


def test_everything_is_played_where_instances_are_quick() -> None:
    traces = [played(PLAIN, 600.0, make=3.0, reset=6.0)]
    assert slow_call(traces) == ""
    assert reason(TWO, traces) == ""
    slow = "the constructor takes 12 s: --budget gives the rest more time"
    assert slow_call([played(PLAIN, 30.0, make=12.0, reset=0.1)]) == slow
    assert reason(TWO, []) == ""


def stepped(seconds: float) -> list[Trace]:
    """A plain life whose 20 steps took so long."""
    call = {"event": "verb", "t": 0.0, "pid": 1, "state": "ended"}
    make = {**call, "verb": "make", "at": 0, "seconds": 0.1}
    step = {**call, "verb": "step:20", "at": 2, "seconds": seconds, "steps": 20}
    return [Trace(PLAIN, Outcome(FINISHED), (make, step))]


@pytest.mark.parametrize(
    ("scenario", "seconds", "script"),
    [
        (OVERWRITING, 1.0, OVERWRITING.script),
        (OVERWRITING, 2.0, " ".join(3 * ["make reset step:10 close drop"])),
        (OVERWRITING, 40.0, " ".join(3 * ["make reset step:3 close drop"])),
        (OTHER_SEEDS, 2.0, OTHER_SEEDS.script.replace("step:5", "step:3")),
        (TWO, 40.0, TWO.script),
        (PLAIN, 40.0, PLAIN.script),
        (FORKED, 40.0, FORKED.script),
        (replace(OVERWRITING, control=True), 40.0, OVERWRITING.script),
    ],
)
def test_slow_steps_are_fewer(scenario: Scenario, seconds: float, script: str) -> None:
    assert shortened(scenario, stepped(seconds)) == replace(scenario, script=script)


def test_all_steps_are_played_where_nothing_is_known_of_them() -> None:
    assert shortened(OVERWRITING, []) is OVERWRITING


@pytest.mark.parametrize(
    ("seconds", "number"), [(0.0, 12), (2.0, 12), (5.0, 6), (15.0, 2), (16.0, 0), (60.0, 0)]
)
def test_copies_are_fewer_where_each_takes_long(seconds: float, number: int) -> None:
    parts = (played(PLAIN, 0.75 * seconds), played(REUSE, 0.25 * seconds))
    others = (played(FORKED, 90.0), played(OVERWRITING, 90.0))
    assert copies((*parts, *others), 12) == number


def test_copies_are_few_where_a_call_hangs_however_long_it_was_waited_for() -> None:
    hung = replace(played(PLAIN, 90.0), outcome=Outcome(TIMED_OUT))
    assert copies([hung, played(REUSE, 1.0)], 12) == 3
    assert copies([hung, played(REUSE, 16.0)], 12) == 0


@pytest.mark.parametrize(("spent", "why"), [(0.9, ""), (4.8, "a plain life takes 2.4 s")])
def test_many_beginnings_are_left_out_where_few_steps_take_long(spent: float, why: str) -> None:
    """Case: close() sends what each step has logged, line by line."""
    two_lives = played(PLAIN, spent, make=0.1)
    again = replace(two_lives, events=(two_lives.events[0], *two_lives.events))
    assert reason(MANY, [again]) == why


@pytest.mark.parametrize(
    ("seconds", "effort"),
    [
        ({"make": 0.01, "reset": 0.01, "step": 0.01}, 10.0),
        ({"make": 0.2, "reset": 0.2, "step": 0.1, "close": 0.1}, 43.0),
        ({"make": 3.0, "reset": 3.0, "step": 1.0}, 60.0),
    ],
)
def test_growth_of_a_slow_environment_is_looked_for_longer(
    seconds: dict[str, float], effort: float
) -> None:
    life = played(PLAIN, 1.0, **seconds)
    assert effort_of_trial([life]).seconds == pytest.approx(effort)
    assert effort_of_trial([replace(life, scenario=FORKED)]).seconds == 10.0


def test_trial_counts_what_a_service_keeps() -> None:
    counting = replace(PLAIN, options=((SERVICE_COUNT, "wc -l < boxes"),))
    assert effort_of_trial([played(PLAIN, 1.0), played(counting, 1.0)]).service_count == (
        "wc -l < boxes"
    )
