"""Tianshou's vectorizers as they are installed. ENVDOCTOR_TIANSHOU_PYTHON names an interpreter that
has them.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.interpreters import way_to
from tests.support.zoo import examine, messages_of

VARIABLE = "ENVDOCTOR_TIANSHOU_PYTHON"
PYTHON = os.environ.get(VARIABLE, "")
ALL = "tianshou-dummy,tianshou-shmem,tianshou-subproc"
SUBPROC = "tianshou-subproc"

needs_tianshou = pytest.mark.skipif(not PYTHON, reason=way_to(VARIABLE))

pytestmark = [needs_tianshou, pytest.mark.everything]


def examined(spec: str, managers: str, *more: str) -> tuple[int, dict[str, Any]]:
    words = ("--managers", managers, "--start-methods", "fork", *more)
    return examine(spec, *words, "--python", PYTHON)


def found(document: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [finding for finding in document["findings"] if finding["code"] == code]


def test_a_healthy_environment_is_healthy_under_all_of_them() -> None:
    exit_code, document = examined("CartPole-v1", ALL)
    assert messages_of(document, "error", "warning") == []
    assert exit_code == 0
    places = {
        (place["manager"], place["start_method"]) for place in document["subjects"][0]["managers"]
    }
    assert places >= {
        ("tianshou-dummy", None),
        ("tianshou-shmem", "fork"),
        ("tianshou-subproc", "fork"),
    }
    assert {scenario["outcome"] for scenario in document["scenarios"]} == {"finished"}
    compared = {one["manager"] for one in document["passed"] if one["code"] == "VEC004"}
    assert compared == set(ALL.split(","))


def test_an_error_that_the_parent_never_hears_has_its_line_and_its_defect() -> None:
    _, document = examined("failing.py:FailsInStep", SUBPROC, "--select", "API001,DOC004")
    (own,) = found(document, "API001")
    assert "ValueError: out of range" in own["message"]
    (defect,) = found(document, "DOC004")
    assert defect["blame"] == "manager"
    assert "the parent raises that the pipe is closed" in defect["message"]
    assert "ValueError: out of range became" in defect["message"]


def test_an_error_in_close_is_the_environments_and_its_silence_the_frameworks() -> None:
    _, document = examined(
        "cls014_close_error_hidden.py:Sick", SUBPROC, "--select", "CLS001,CLS014,DOC004"
    )
    assert {one["code"] for one in document["findings"]} == {"CLS001", "CLS014", "DOC004"}
    (defect,) = found(document, "DOC004")
    assert "returns as if nothing was" in defect["message"]


def test_remedy_launches_as_the_scripts_of_tianshou_do() -> None:
    _, document = examined("mak004_one_instance_per_process.py:Sick", SUBPROC, "--select", "MAK004")
    (finding,) = found(document, "MAK004")
    assert finding["remedy"]["commands"] == [
        "from tianshou.env import SubprocVectorEnv",
        'envs = SubprocVectorEnv([make_env] * 4, context="fork")',
    ]


def test_worker_errors_are_in_the_table_of_faults() -> None:
    _, document = examined("CartPole-v1", SUBPROC, "--faults", "--select", "DOC005")
    messages = [finding["message"] for finding in found(document, "DOC005")]
    assert any(
        "shows another error than the environment's when the constructor raises, reset() raises,"
        " step() raises" in message
        for message in messages
    )
    assert any("does not report when close() raises in a worker" in one for one in messages)
