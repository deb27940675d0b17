"""RLlib's runners in actors, as it is installed. ENVDOCTOR_RAY_PYTHON names an interpreter that has
it. Each test starts a cluster or more.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from envdoctor.model.errors import read_error
from envdoctor.model.faults import KILL, Fault
from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.plan.planted_faults import FAULT_LIFE
from envdoctor.request.specs import parse
from envdoctor.run.supervise.session import Session
from tests.interpreters import way_to
from tests.support.zoo import ENVS, examine, messages_of

VARIABLE = "ENVDOCTOR_RAY_PYTHON"
PYTHON = os.environ.get(VARIABLE, "")
REMOTE = "rllib-remote"

pytestmark = [
    pytest.mark.skipif(not PYTHON, reason=way_to(VARIABLE)),
    pytest.mark.everything,
]


def examined(spec: str, *more: str) -> tuple[int, dict[str, Any]]:
    return examine(spec, "--managers", REMOTE, *more, "--python", PYTHON)


def of_the_framework(document: dict[str, Any]) -> list[str]:
    defects = [one for one in document["findings"] if one["code"] == "DOC004"]
    assert {one["blame"] for one in defects} <= {"manager"}
    return [one["message"] for one in defects]


def test_a_healthy_environment_is_healthy() -> None:
    exit_code, document = examined("CartPole-v1")
    assert (exit_code, messages_of(document, "error", "warning", "note")) == (0, [])
    assert {scenario["outcome"] for scenario in document["scenarios"]} == {"finished"}
    compared = {one["code"] for one in document["passed"] if one["manager"] == REMOTE}
    assert compared >= {"VEC002", "VEC004", "VEC010", "VEC011", "VEC012", "CLS015", "PRC001"}


def test_an_error_that_is_only_logged_has_its_line_and_is_the_environments() -> None:
    _, document = examined("failing_always.py:InStep", "--select", "API001,DOC004,VEC")
    (own,) = [one for one in document["findings"] if one["code"] == "API001"]
    assert "ValueError: out of range" in own["message"]
    assert own["blame"] == "environment"
    (defect,) = of_the_framework(document)
    assert "raises an ActorDiedError without it" in defect
    assert "ValueError: out of range" in defect
    assert {one["code"] for one in document["findings"]} == {"API001", "DOC004"}


def test_leftover_files_are_blamed_on_the_environment() -> None:
    words = ("--select", "CLS010", "--no-try-remedies")
    _, document = examined("cls010_close_leaves_temporary_files.py:Sick", *words)
    left = [one for one in document["findings"] if one["code"] == "CLS010"]
    assert {one["manager"]: one["blame"] for one in left} == {
        "direct": "environment",
        REMOTE: "environment",
    }


def played(spec: str, script: str, **options: bool) -> Trace:
    scenario = Scenario("life", script, REMOTE, "spawn", options=tuple(options.items()))
    with Session(PYTHON) as session:
        return session.play(parse(spec, {}, (), str(ENVS)), scenario, 0, None)


def test_a_group_that_is_dropped_closes_its_instances() -> None:
    trace = played("CartPole-v1", "make reset step drop")
    assert trace.outcome.kind == FINISHED, trace.outcome
    made = trace.instances("made", parent=False)
    assert len(made) == 2
    assert trace.instances("closing") == made


def test_with_restarts_the_group_raises_nothing() -> None:
    trace = played(
        "failing_always.py:InStep", "make reset step:20 drop", restart_failed_env_runners=True
    )
    (raised,) = trace.verbs("step", "raised")
    assert raised.error is not None
    assert raised.error.name == "Unanswered"
    assert "2 of 2 runners did not answer" in raised.error.message
    (event, *_) = (one for one in trace.of("instance") if one["what"] == "step-raised")
    own = read_error(event["error"])
    assert own is not None
    assert own.name == "ValueError"
    made = trace.instances("made", parent=False)
    assert len(made) == 2
    assert trace.instances("closing") == made


def test_an_actor_that_is_killed_closes_nothing() -> None:
    killed = Scenario(Fault(KILL, 1).name, FAULT_LIFE, REMOTE, "spawn", control=True)
    with Session(PYTHON) as session:
        trace = session.play(parse("CartPole-v1", {}, (), str(ENVS)), killed, 0, None)
    made, closing = trace.instances("made", parent=False), trace.instances("closing")
    assert len(made) == 2
    assert len(made - closing) == 1  # the other one is closed when the group is given up
    (raised,) = trace.verbs("step", "raised")
    assert raised.error is not None
    assert raised.error.name == "ActorDiedError"
