"""RLlib's runner as it is installed. ENVDOCTOR_RAY_PYTHON names an interpreter that has it."""

from __future__ import annotations

import os
from typing import Any

import pytest

from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED
from envdoctor.request.specs import parse
from envdoctor.run.supervise.session import Session
from tests.interpreters import way_to
from tests.support.zoo import examine, messages_of

VARIABLE = "ENVDOCTOR_RAY_PYTHON"
PYTHON = os.environ.get(VARIABLE, "")
RUNNER = "rllib-env-runner"

needs_rllib = pytest.mark.skipif(not PYTHON, reason=way_to(VARIABLE))

pytestmark = [needs_rllib, pytest.mark.everything]


def examined(spec: str, *more: str) -> tuple[int, dict[str, Any]]:
    return examine(spec, "--managers", RUNNER, *more, "--python", PYTHON)


def found(document: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [finding for finding in document["findings"] if finding["code"] == code]


def test_a_healthy_environment_is_healthy_and_what_outlives_its_runner_is_the_frameworks() -> None:
    exit_code, document = examined("CartPole-v1")
    assert messages_of(document, "error", "warning") == []
    assert exit_code == 0
    assert {scenario["outcome"] for scenario in document["scenarios"]} == {"finished"}
    compared = {one["code"] for one in document["passed"] if one["manager"] == RUNNER}
    assert compared >= {"VEC002", "VEC004", "VEC010", "VEC011", "VEC012", "CLS015", "RUS003"}
    (defect,) = found(document, "DOC004")
    assert defect["blame"] == "manager"
    assert "a runner that is dropped without stop() closes no instance" in defect["message"]


@pytest.mark.parametrize(
    ("kind", "error"),
    [("InReset", "OSError: no level left"), ("InStep", "ValueError: out of range")],
)
def test_restarts_are_ended_and_the_first_error_has_its_line(kind: str, error: str) -> None:
    words = ("--select", "API001,DOC004,RUS001,RUS003,CLS015,VEC")
    _, document = examined(f"failing_always.py:{kind}", *words)
    (own,) = found(document, "API001")
    assert error in own["message"]
    assert own["blame"] == "environment"
    (defect,) = [one for one in found(document, "DOC004") if "restart_failed" in one["message"]]
    assert defect["blame"] == "manager"
    assert f"{error} at " in defect["message"]
    assert "failing_always.py:" in defect["message"]
    assert "40 instances built in one call for 2" in defect["message"]
    assert {one["code"] for one in document["findings"]} == {"API001", "DOC004"}


def test_leftover_threads_are_blamed_on_the_environment() -> None:
    words = ("--select", "CLS007", "--no-try-remedies")
    _, document = examined("cls007_close_leaves_threads.py:Sick", *words)
    blamed = {one["manager"]: one["blame"] for one in found(document, "CLS007")}
    assert blamed == {"direct": "environment", RUNNER: "environment"}


@pytest.mark.parametrize(
    ("options", "closed"), [((), True), ((("as_class", True),), False)], ids=("named", "as-class")
)
def test_a_runner_that_is_dropped(options: tuple[tuple[str, bool], ...], closed: bool) -> None:
    given_up = Scenario(
        "given-up", "make reset step drop", RUNNER, None, control=True, options=options
    )
    with Session(PYTHON) as session:
        played = session.play(parse("CartPole-v1", {}, (), "/"), given_up, 0, None)
    assert played.outcome.kind == FINISHED
    made = played.instances("made")
    assert len(made) == 2
    assert played.instances("closing") == (made if closed else set())


def test_replaced_error_is_in_the_table_of_faults() -> None:
    _, document = examined("CartPole-v1", "--faults", "--select", "DOC005")
    (limit,) = found(document, "DOC005")
    assert "shows another error than the environment's when step() raises" in limit["message"]
