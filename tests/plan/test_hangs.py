"""Scenarios that are still played where a call of the plain lifecycle does not return, or ends the
process.
"""

from __future__ import annotations

from typing import Any

import pytest

from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED, LOST, SIGNALLED, TIMED_OUT, Outcome, Trace
from envdoctor.plan.hangs import adapted, reason, stopped
from envdoctor.plan.scenarios import DIRECT_SCRIPTS, PLAIN, vector_life

CHECK = Scenario("check", "check")
BEFORE_RESET, REUSE = (
    Scenario(name, DIRECT_SCRIPTS[name]) for name in ("close-before-reset", "reuse")
)
FORKED = vector_life("gymnasium-async", "fork")


def ended(scenario: Scenario, kind: str, verb: str, **more: Any) -> Trace:
    began = {"event": "verb", "t": 0.0, "pid": 1, "verb": verb, "state": "began"}
    return Trace(scenario, Outcome(kind, verb=verb, **more), (began,))


@pytest.mark.parametrize(
    ("how", "told", "is_in_workers"),
    [
        ({"kind": TIMED_OUT}, "reset() hangs", True),
        ({"kind": SIGNALLED, "signal": "SIGABRT"}, "reset() ends the process", True),
        ({"kind": LOST, "starved": True}, "reset() had too little of a busy machine", False),
    ],
)
def test_call_that_ended_two_scenarios_is_left_out_of_the_others(
    how: dict[str, Any], told: str, is_in_workers: bool
) -> None:
    """Workers would add nothing where the call cannot be judged."""
    life, check = ended(PLAIN, verb="reset", **how), ended(CHECK, verb="check", **how)
    assert adapted(REUSE, [life]) is REUSE, "once may be chance"
    traces = [life, check]
    assert reason(traces) == told
    assert adapted(REUSE, traces) is None
    assert adapted(BEFORE_RESET, traces) is BEFORE_RESET
    assert (adapted(FORKED, traces) is FORKED) is is_in_workers


def test_scenario_lost_otherwise_is_played_again() -> None:
    life = ended(PLAIN, LOST, "reset", reason="its journal is gone")
    check = ended(CHECK, LOST, "check", reason="its journal is gone")
    assert not stopped(life)
    assert adapted(REUSE, [life, check]) is REUSE


def test_call_that_came_back_once_is_played_on() -> None:
    back = {"event": "verb", "t": 0.0, "pid": 1, "verb": "reset", "state": "ended", "seconds": 1.0}
    twin = Trace(BEFORE_RESET, Outcome(FINISHED), (back,))
    traces = [ended(PLAIN, SIGNALLED, "reset"), ended(CHECK, SIGNALLED, "check"), twin]
    assert adapted(REUSE, traces) is REUSE
