"""TorchRL's batched environments as they are installed. ENVDOCTOR_TORCHRL_PYTHON names an
interpreter that has them, and PyTorch.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.interpreters import has, way_to
from tests.support.zoo import examine, messages_of

PYTHON = os.environ.get("ENVDOCTOR_TORCHRL_PYTHON", sys.executable)
MANAGERS = ("--managers", "torchrl-serial,torchrl-parallel")
BATCHES = Path(__file__).with_name("batches.py")

HEALTHY = ("Pendulum-v1", "FrozenLake-v1", "Acrobot-v1", f"{BATCHES}:Pictures", f"{BATCHES}:Lazy")

WITH_TORCHRL = has(PYTHON, "torchrl")

needs_torchrl = pytest.mark.skipif(not WITH_TORCHRL, reason=way_to("ENVDOCTOR_TORCHRL_PYTHON"))


def examined(*arguments: str, managers: tuple[str, ...] = MANAGERS) -> tuple[int, dict[str, Any]]:
    return examine(*arguments, *managers, "--python", PYTHON)


def found(document: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [finding for finding in document["findings"] if finding["code"] == code]


def batches(name: str, managers: str) -> list[tuple[str, str]]:
    """(code, manager) of what is worse than a note in an environment of batches.py."""
    _, document = examined(
        f"{BATCHES}:{name}", "--start-methods", "fork", managers=("--managers", managers)
    )
    return sorted(
        {
            (finding["code"], finding["manager"])
            for finding in document["findings"]
            if finding["severity"] != "note"
        }
    )


@pytest.mark.everything
@needs_torchrl
def test_a_healthy_environment_is_healthy_under_every_start_method() -> None:
    exit_code, document = examined("CartPole-v1", "--start-methods", "fork,forkserver,spawn")
    assert messages_of(document, "error", "warning") == []
    assert exit_code == 0
    places = {
        (place["manager"], place["start_method"]) for place in document["subjects"][0]["managers"]
    }
    assert places >= {
        ("torchrl-serial", None),
        ("torchrl-parallel", "fork"),
        ("torchrl-parallel", "forkserver"),
        ("torchrl-parallel", "spawn"),
    }
    assert {scenario["outcome"] for scenario in document["scenarios"]} == {"finished"}
    assert [
        scenario["manager"]
        for scenario in document["scenarios"]
        if scenario["name"] == "check-torchrl"
    ] == ["torchrl-serial"]
    assert [
        each for each in document["skipped"] if each["code"] in ("VEC002", "VEC004", "DET003")
    ] == [], "all are compared"


@pytest.mark.everything
@needs_torchrl
@pytest.mark.parametrize("spec", HEALTHY)
def test_healthy_environments_of_all_kinds(spec: str) -> None:
    exit_code, document = examined(spec, "--start-methods", "fork")
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    played = [
        (scenario["manager"], scenario["outcome"])
        for scenario in document["scenarios"]
        if scenario["name"] == "without-buffers"
    ]
    assert sorted(played) == [("torchrl-parallel", "finished"), ("torchrl-serial", "finished")]
    assert not any("use_buffers" in finding["message"] for finding in document["findings"])


@pytest.mark.everything
@needs_torchrl
def test_unrequested_framework_is_skipped_with_a_reason() -> None:
    _, document = examined("CartPole-v1", "--start-methods", "fork", managers=())
    reasons = {
        skipped["manager"]: skipped["reason"]
        for skipped in document["skipped"]
        if not skipped["code"]
    }
    assert "--managers torchrl-serial" in reasons["torchrl-serial"]
    assert not any(scenario["manager"].startswith("torchrl") for scenario in document["scenarios"])


@pytest.mark.everything
@needs_torchrl
def test_leftovers_and_errors_of_close_are_found() -> None:
    assert batches("ForgetsThread", "torchrl-serial") == [
        ("CLS007", "direct"),
        ("CLS007", "torchrl-serial"),
    ]
    assert batches("ClosesWithoutRecorder", "torchrl-serial,torchrl-parallel") == [
        ("CLS001", "direct"),
        ("CLS002", "direct"),
        ("CLS014", "torchrl-parallel"),
        ("CLS014", "torchrl-serial"),
    ]


@pytest.mark.everything
@needs_torchrl
def test_a_step_that_raises_in_a_worker_is_reported_with_its_line() -> None:
    _, document = examined(
        f"{BATCHES}:FailsInWorkers",
        "--start-methods",
        "fork",
        managers=("--managers", "torchrl-parallel"),
    )
    (finding,) = (finding for finding in document["findings"] if finding["severity"] != "note")
    assert (finding["code"], finding["message"].split(",")[0]) == (
        "VEC008",
        "step() raises ValueError: no map for this worker",
    )
    assert finding["location"]["file"] == str(BATCHES)


@pytest.mark.everything
@needs_torchrl
def test_one_instance_a_process_and_who_builds_another() -> None:
    _, document = examined("mak004_one_instance_per_process.py:Sick", "--start-methods", "fork")
    (finding,) = found(document, "MAK004")
    assert "seen to work here with torchrl-parallel, fork" in finding["remedy"]["text"]
    assert "metadata_from_workers=True" in finding["remedy"]["text"]
    assert (
        finding["remedy"]["commands"][-1]
        == 'envs = ParallelEnv(4, make_wrapped, mp_start_method="fork")'
    )


@pytest.mark.skipif(WITH_TORCHRL, reason="it is installed")
def test_without_it_the_managers_are_skipped_with_the_reason() -> None:
    exit_code, document = examined("CartPole-v1")
    assert exit_code == 0
    reasons = {
        skipped["manager"]: skipped["reason"]
        for skipped in document["skipped"]
        if skipped["manager"].startswith("torchrl")
    }
    assert set(reasons) == {"torchrl-serial", "torchrl-parallel"}
    assert all("torchrl is not installed" in reason for reason in reasons.values())
