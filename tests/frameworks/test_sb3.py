"""Stable-Baselines3's vectorizers as they are installed. ENVDOCTOR_SB3_PYTHON names an
interpreter that has them, and PyTorch.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

from tests.interpreters import has, way_to
from tests.support.zoo import examine, messages_of

PYTHON = os.environ.get("ENVDOCTOR_SB3_PYTHON", sys.executable)
MANAGERS = ("--managers", "sb3-dummy,sb3-subproc")

WITH_SB3 = has(PYTHON, "stable_baselines3")

needs_sb3 = pytest.mark.skipif(not WITH_SB3, reason=way_to("ENVDOCTOR_SB3_PYTHON"))


def examined(*arguments: str) -> tuple[int, dict[str, Any]]:
    return examine(*arguments, *MANAGERS, "--python", PYTHON)


def found(document: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [finding for finding in document["findings"] if finding["code"] == code]


@pytest.mark.everything
@needs_sb3
def test_a_healthy_environment_is_healthy_under_every_start_method() -> None:
    exit_code, document = examined("CartPole-v1", "--start-methods", "fork,forkserver,spawn")
    assert messages_of(document, "error", "warning") == []
    assert exit_code == 0
    places = {
        (place["manager"], place["start_method"]) for place in document["subjects"][0]["managers"]
    }
    assert places >= {
        ("sb3-dummy", None),
        ("sb3-subproc", "fork"),
        ("sb3-subproc", "forkserver"),
        ("sb3-subproc", "spawn"),
    }
    assert [
        scenario["manager"]
        for scenario in document["scenarios"]
        if scenario["name"] == "make-vec-env"
    ] == ["sb3-dummy"]
    assert {scenario["outcome"] for scenario in document["scenarios"]} == {"finished"}


@pytest.mark.everything
@needs_sb3
def test_one_instance_a_process_is_for_subprocesses() -> None:
    exit_code, document = examined(
        "mak004_one_instance_per_process.py:Sick", "--start-methods", "forkserver"
    )
    assert exit_code == 1
    (finding,) = found(document, "MAK004")
    assert "seen to work here with sb3-subproc, forkserver" in finding["remedy"]["text"]
    assert finding["remedy"]["commands"][-1] == "envs = SubprocVecEnv([make_env] * 4)"


@pytest.mark.everything
@needs_sb3
def test_an_id_that_the_fork_server_cannot_know_and_its_cure() -> None:
    _, document = examined(
        "ZooReg004-v0",
        "--import",
        "reg004_missing_in_forkserver_worker",
        "--start-methods",
        "forkserver",
    )
    (finding,) = found(document, "REG004")
    assert finding["manager"] == "sb3-subproc"
    assert "forkserver is what SubprocVecEnv uses" in finding["remedy"]["text"]
    assert finding["remedy"]["text"].endswith("Verified: works with sb3-subproc, forkserver.")
    assert (
        'make_vec_env("reg004_missing_in_forkserver_worker:ZooReg004-v0", n_envs=4'
        in finding["remedy"]["commands"][-1]
    )
    exit_code, document = examined(
        "reg004_missing_in_forkserver_worker:ZooReg004-v0", "--start-methods", "forkserver"
    )
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])


@pytest.mark.everything
@needs_sb3
@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("vec002_workers_share_a_seed.py:Sick", {"VEC002", "DET001"}),
        ("vec005_payload_not_picklable.py:Sick", {"VEC005"}),
        ("prc004_needs_children_in_daemon_worker.py:Sick", {"PRC004"}),
        ("cls014_close_error_hidden.py:Sick", {"CLS014", "CLS001"}),
    ],
)
def test_worker_faults_are_found_once_under_subproc(name: str, codes: set[str]) -> None:
    """One fact, one finding: what is told of the worker is not told again of the pipe that
    broke.
    """
    _, document = examine(
        name, "--managers", "sb3-subproc", "--start-methods", "forkserver", "--python", PYTHON
    )
    assert {
        finding["code"] for finding in document["findings"] if finding["severity"] != "note"
    } == codes


@pytest.mark.everything
@needs_sb3
def test_uncopyable_value_is_described_for_a_manager_without_workers() -> None:
    _, document = examine(
        "vec005_payload_not_picklable.py:Sick", "--managers", "sb3-dummy", "--python", PYTHON
    )
    (finding,) = (one for one in document["findings"] if one["severity"] != "note")
    assert finding["code"] == "VEC008"
    assert finding["remedy"]["text"].endswith("returns: sb3-dummy hands out deep copies of it.")


@pytest.mark.skipif(WITH_SB3, reason="it is installed")
def test_without_it_the_managers_are_skipped_with_the_reason() -> None:
    exit_code, document = examined("CartPole-v1")
    assert exit_code == 0
    reasons = {
        skipped["manager"]: skipped["reason"]
        for skipped in document["skipped"]
        if skipped["manager"].startswith("sb3")
    }
    assert set(reasons) == {"sb3-dummy", "sb3-subproc"}
    assert all("stable-baselines3 is not installed" in reason for reason in reasons.values())
