"""SuperSuit's vector environments as they are installed. ENVDOCTOR_SUPERSUIT_PYTHON names an
interpreter that has them.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.interpreters import way_to
from tests.support.zoo import examine, messages_of

VARIABLE = "ENVDOCTOR_SUPERSUIT_PYTHON"
PYTHON = os.environ.get(VARIABLE, "")
CONCAT, WORKERS = "supersuit-concat", "supersuit-proc-concat"
BOTH = f"{CONCAT},{WORKERS}"

pytestmark = [
    pytest.mark.skipif(not PYTHON, reason=way_to(VARIABLE)),
    pytest.mark.everything,
]


def examined(kind: str, managers: str, *more: str) -> tuple[int, dict[str, Any]]:
    words = ("--managers", managers, "--no-try-remedies", *more, "--python", PYTHON)
    return examine(f"parallel_walks.py:{kind}", *words)


def found(document: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [finding for finding in document["findings"] if finding["code"] == code]


def test_a_healthy_environment_is_healthy_and_what_is_never_closed_is_the_frameworks() -> None:
    exit_code, document = examined("Walks", BOTH)
    assert messages_of(document, "error", "warning") == []
    assert exit_code == 0
    assert {scenario["outcome"] for scenario in document["scenarios"]} == {"finished"}
    for code in ("VEC002", "VEC004", "VEC010", "VEC011", "VEC012", "RUS003"):
        passed = {one["manager"] for one in document["passed"] if one["code"] == code}
        assert passed >= {CONCAT, WORKERS}, code
    defects = found(document, "DOC004")
    assert {one["blame"] for one in defects} == {"manager"}
    messages = sorted(one["message"].partition("shows here: ")[2] for one in defects)
    assert len(messages) == 2
    assert messages[0].startswith("close() with num_cpus of 2 or more")
    assert "2 instances in workers, none of them closed" in messages[0]
    assert "hosts copies of the environment that it is given, and never" in messages[1]


def test_its_vector_environment_is_a_subject_as_well() -> None:
    """It declares the spaces of one row only."""
    exit_code, document = examined("rows", "direct")
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    assert document["subjects"][0]["episodes"][0]["ended"]


def test_an_environment_that_holds_a_process_cannot_be_copied() -> None:
    _, document = examined("HoldsAProcess", BOTH, "--select", "VEC001,VEC008,API,DOC004")
    (defect,) = found(document, "DOC004")
    assert defect["blame"] == "manager"
    assert "pickles the live environment" in defect["message"]
    refused = found(document, "VEC001")
    assert {one["manager"] for one in refused} == {CONCAT, WORKERS}
    assert {one["blame"] for one in refused} == {"interaction"}
    assert all(one["remedy"]["text"].startswith("start what does not") for one in refused)
    assert len(document["findings"]) == 3


def test_a_process_that_close_would_have_ended_is_not_the_environments() -> None:
    words = ("--select", "CLS008,PRC001,PRC002,VEC001")
    exit_code, document = examined("StartsAtReset", BOTH, *words)
    assert messages_of(document, "error", "warning") == []
    assert exit_code == 0


def test_agents_that_leave_are_reported_with_the_wrapper_that_helps() -> None:
    _, document = examined("OneLeaves", CONCAT, "--select", "VEC008,API,DOC004")
    (refused,) = found(document, "VEC008")
    assert "supersuit.black_death_v3" in refused["remedy"]["text"]
    assert any("one leaves before" in one["message"] for one in found(document, "DOC004"))
    assert not found(document, "API015")


def test_environment_faults_are_blamed_on_the_environment() -> None:
    _, document = examined("FailsInStep", WORKERS, "--select", "API001,VEC008,PRC003")
    (own,) = document["findings"]
    assert "ValueError: out of range" in own["message"]
    assert own["blame"] == "environment"
    _, document = examined("DrawsAlike", BOTH, "--select", "VEC002")
    assert {one["manager"] for one in found(document, "VEC002")} == {CONCAT, WORKERS}


def test_unpicklable_step_error_is_in_the_table_of_faults() -> None:
    _, document = examined("Walks", WORKERS, "--faults", "--select", "DOC005")
    messages = " ".join(one["message"] for one in found(document, "DOC005"))
    assert "when step() raises an exception that does not pickle" in messages
    assert "when close() raises in a worker" in messages


def test_single_agent_environment_is_skipped() -> None:
    words = ("--managers", CONCAT, "--select", "API001", "--python", PYTHON)
    _, document = examine("CartPole-v1", *words)
    (skipped,) = [one for one in document["skipped"] if one["manager"] == CONCAT]
    assert skipped["reason"].startswith("it needs a ParallelEnv of PettingZoo's kind")
