"""PufferLib's vectorizers as they are installed. ENVDOCTOR_PUFFER_PYTHON names an interpreter that
has them.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.interpreters import way_to
from tests.support.zoo import examine, messages_of

VARIABLE = "ENVDOCTOR_PUFFER_PYTHON"
PYTHON = os.environ.get(VARIABLE, "")
WORKERS = "puffer-multiprocessing"

needs_pufferlib = pytest.mark.skipif(not PYTHON, reason=way_to(VARIABLE))

pytestmark = [needs_pufferlib, pytest.mark.everything]


def examined(spec: str, managers: str, *more: str) -> tuple[int, dict[str, Any]]:
    return examine(spec, "--managers", managers, *more, "--python", PYTHON)


def found(document: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [finding for finding in document["findings"] if finding["code"] == code]


def test_a_healthy_environment_is_healthy_and_what_is_never_closed_is_the_frameworks() -> None:
    exit_code, document = examined("CartPole-v1", f"puffer-serial,{WORKERS}")
    assert messages_of(document, "error", "warning") == []
    assert exit_code == 0
    (defect,) = found(document, "DOC004")
    assert defect["blame"] == "manager"
    assert "4 instances in workers, none of them closed" in defect["message"]
    (built,) = found(document, "RUS003")
    assert built["severity"] == "note"
    compared = {one["manager"] for one in document["passed"] if one["code"] == "VEC004"}
    assert compared == {"puffer-serial", WORKERS}


def test_a_simulator_that_close_would_have_ended_is_not_the_environments() -> None:
    exit_code, document = examined(
        "cls008_close_leaves_processes.py:Healthy", WORKERS, "--select", "CLS008,PRC001,DOC004"
    )
    assert messages_of(document, "error", "warning") == []
    assert exit_code == 0
    assert len(found(document, "DOC004")) == 1


def test_an_error_that_never_arrives_has_its_line_and_its_defect() -> None:
    words = ("--timeout", "5", "--select", "PRC003,DOC004")
    _, document = examined("failing.py:FailsInStep", WORKERS, *words)
    (finding,) = found(document, "PRC003")
    assert "raised ValueError: out of range in step()" in finding["message"]
    (defect,) = found(document, "DOC004")
    assert "the parent waits for its answer without a time limit" in defect["message"]
