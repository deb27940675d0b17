"""A stop in the background by close() gets its time in a leak check."""

from __future__ import annotations

from typing import Any

import pytest

from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import Trace
from envdoctor.plan.leak_check import check_leaks
from envdoctor.plan.leak_session import QUICK
from envdoctor.rules.engine.examples import ended_afterwards, life_trace


@pytest.mark.parametrize(
    ("earlier", "options"),
    [
        ([life_trace()], {}),
        ([ended_afterwards(life_trace(), 11.0, "processes", "7")], {"grace": 22.0}),
        ([ended_afterwards(life_trace(), 20.0, "processes")], {}),  # it went on
    ],
)
def test_readings_wait_as_the_plain_life_did(earlier: list[Trace], options: dict[str, Any]) -> None:
    asked: list[Scenario] = []

    def play(scenario: Scenario) -> None:
        asked.append(scenario)

    check_leaks(play, QUICK, earlier=earlier)
    assert [dict(scenario.options) for scenario in asked] == [options] * len(asked) != []
