"""Cost of one call of each operation, from the plain lifecycle."""

from __future__ import annotations

import pytest

from envdoctor.plan.costs import Costs, costs_of
from envdoctor.plan.leak_session import QUICK, STEPS, UNIT, LeakSession
from envdoctor.rules.engine.examples import trace, verb


def life(*steps: float) -> list[dict[str, object]]:
    """The verbs of one instance each, whose twenty steps took so many seconds."""
    return [
        event
        for seconds in steps
        for event in (
            verb("make", seconds=0.001),
            verb("reset", seconds=0.001),
            verb("step:20", seconds=seconds, steps=20),
            verb("close", seconds=0.001),
        )
    ]


def test_the_quicker_instance_says_what_an_operation_takes() -> None:
    costs = costs_of([trace(*life(0.4, 0.02))])
    assert costs == Costs(0.001, 0.001, pytest.approx(0.001), 0.001)


@pytest.mark.parametrize("steps", [(0.02, 0.02), (2.0, 0.02), (0.02, 2.0)])
def test_a_step_that_once_waited_for_a_busy_machine_shortens_no_cycle(
    steps: tuple[float, float],
) -> None:
    """PRC001's environment starts a process in a step: while it waited for that to begin, its steps
    looked so slow that cycles had ten, and the leak of one process a cycle was told beside CLS008.
    """
    session = LeakSession(lambda _: None, QUICK)
    session.fit(costs_of([trace(*life(*steps))]))
    assert (session.unit, session.steps) == (UNIT, STEPS[0])


def test_steps_that_are_slow_in_each_instance_are_fewer() -> None:
    session = LeakSession(lambda _: None, QUICK)
    session.fit(costs_of([trace(*life(2.0, 2.0))]))
    assert session.steps < STEPS[0]


def test_nothing_is_known_without_a_life() -> None:
    assert costs_of([]) is None
    assert costs_of([trace()]) is None
