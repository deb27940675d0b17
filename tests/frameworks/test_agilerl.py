"""AgileRL's vector environments as they are installed. ENVDOCTOR_AGILERL_PYTHON names an interpreter
that has them.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.interpreters import way_to
from tests.support.zoo import examine, messages_of

VARIABLE = "ENVDOCTOR_AGILERL_PYTHON"
PYTHON = os.environ.get(VARIABLE, "")
WORKERS = "agilerl-async"

pytestmark = [
    pytest.mark.skipif(not PYTHON, reason=way_to(VARIABLE)),
    pytest.mark.everything,
]


def examined(kind: str, *more: str) -> tuple[int, dict[str, Any]]:
    words = ("--managers", WORKERS, "--start-methods", "fork", "--no-try-remedies", *more)
    return examine(f"parallel_walks.py:{kind}", *words, "--python", PYTHON)


def found(document: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [finding for finding in document["findings"] if finding["code"] == code]


def test_a_healthy_environment_is_healthy_and_what_is_lost_is_the_frameworks() -> None:
    exit_code, document = examined("Walks")
    assert messages_of(document, "error", "warning") == []
    assert exit_code == 0
    assert {scenario["outcome"] for scenario in document["scenarios"]} == {"finished"}
    compared = {one["code"] for one in document["passed"] if one["manager"] == WORKERS}
    assert compared >= {"VEC002", "VEC004", "VEC012", "CLS015", "PRC001", "PRC002", "RUS003"}
    assert not compared & {"VEC010", "VEC011"}
    (defect,) = found(document, "DOC004")
    assert defect["blame"] == "manager"
    assert "in place of the last ones" in defect["message"]


def test_an_agent_that_leaves_is_played_and_compared() -> None:
    exit_code, document = examined("OneLeaves", "--select", "API,VEC")
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    compared = {one["code"] for one in document["passed"] if one["manager"] == WORKERS}
    assert compared >= {"VEC004", "VEC008", "VEC012"}


def test_environment_faults_are_blamed_on_the_environment() -> None:
    _, document = examined("FailsInStep", "--select", "API001,VEC008,PRC003,DOC004")
    (own,) = document["findings"]
    assert "ValueError: out of range" in own["message"]
    assert own["blame"] == "environment"
    _, document = examined("DrawsAlike", "--select", "VEC002")
    assert {one["manager"] for one in found(document, "VEC002")} == {WORKERS}


def test_an_environment_that_holds_a_process_is_hosted() -> None:
    exit_code, document = examined("HoldsAProcess", "--select", "CLS,PRC,VEC001")
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])


def test_a_close_that_is_cut_off_is_the_frameworks() -> None:
    _, document = examined("ClosesSlowly", "--select", "CLS008,CLS015,PRC,DOC004")
    assert messages_of(document, "error", "warning") == []
    cut = [one for one in found(document, "DOC004") if "one second" in one["message"]]
    assert [one["blame"] for one in cut] == ["manager"]
    assert {one["code"] for one in document["findings"]} == {"DOC004"}


def test_close_error_in_a_worker_is_in_the_table_of_faults() -> None:
    _, document = examined("Walks", "--faults", "--select", "DOC005")
    messages = " ".join(one["message"] for one in found(document, "DOC005"))
    assert "when close() raises in a worker" in messages
