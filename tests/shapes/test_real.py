"""Environments of every shape with the frameworks themselves: ENVDOCTOR_SHAPES_PYTHON names an
interpreter that has pettingzoo, dm-control, envpool, jax with flax, gem-llm, textarena and
skyrl-gym, or some of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from tests.interpreters import way_to
from tests.shapes.examined import ENVS
from tests.support.zoo import examine, messages_of

#: What each public environment is sick with, checked by hand in its source: docs/field-notes.md. All
#: other errors are false.
TRUE = {
    ("pettingzoo", "tictactoe"): set(),
    ("pettingzoo", "rock"): set(),
    ("pettingzoo", "archers"): set(),
    ("dm_control", "cartpole"): set(),
    ("gymnasium", "native"): set(),
    ("skyrl_gym", "sums"): set(),
    ("envpool", "pool"): {"CLS007"},
    ("gem", "guess"): {"MAK005", "SFX004"},
    ("textarena", "board"): {"CLS002", "DET001", "LEK001", "LEK003"},
}

pytestmark = pytest.mark.everything

PYTHON = os.environ.get("ENVDOCTOR_SHAPES_PYTHON", sys.executable)
THREADS = "close() leaves 3 threads running until the closed object is dropped"


@cache
def has(module: str) -> bool:
    command = [PYTHON, "-c", f"import {module}"]
    return subprocess.run(command, capture_output=True, timeout=600, check=False).returncode == 0


def examined(module: str, name: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    if not has(module):
        pytest.skip(way_to("ENVDOCTOR_SHAPES_PYTHON"))
    chosen = ("--managers", "direct", "--python", PYTHON)
    return examine(f"real.py:{name}", *chosen, *arguments, cwd=ENVS)


@pytest.mark.parametrize(
    ("module", "name", "ended"),
    [
        ("pettingzoo", "tictactoe", {"terminated": 1}),
        ("pettingzoo", "rock", {"truncated": 1}),
        ("dm_control", "cartpole", {"truncated": 1}),
        ("pettingzoo", "archers", {"terminated": 1}),
        ("gymnasium", "native", {"terminated": 3}),
        ("skyrl_gym", "sums", {"terminated": 1}),
    ],
)
def test_a_public_environment_is_healthy(module: str, name: str, ended: dict[str, int]) -> None:
    exit_code, document = examined(module, name, "--select", "API,CLS,DET,MAK,RUS,VEC,HNG")
    assert messages_of(document, "error", "warning") == []
    assert exit_code == 0
    assert document["subjects"][0]["episodes"][0]["ended"] == ended


def test_a_pool_keeps_its_threads_until_it_is_dropped() -> None:
    _, document = examined("envpool", "pool", "--select", "API,CLS007,DET", "--budget", "20s")
    found = {one["code"]: one["message"] for one in document["findings"]}
    assert found.keys() == {"CLS007"}
    assert found["CLS007"].startswith(THREADS)


def test_compilation_by_jax_for_each_instance_has_its_line() -> None:
    """Memory that fills, and goes with the collector, is not called a leak."""
    _, document = examined("flax", "physics", "--select", "API,CLS,DET,LEK,RUS", "--budget", "60s")
    (kept,) = [one for one in document["findings"] if one["severity"] != "note"]
    assert kept["code"] == "LEK011"
    assert kept["location"]["file"].endswith("functional_jax_env.py")
    assert "LEK003" not in {one["code"] for one in document["findings"]}


def test_global_random_state_of_gem_is_found() -> None:
    _, document = examined("gem", "guess", "--select", "API,CLS,DET,SFX004")
    assert {one["code"] for one in document["findings"]} == {"SFX004"}
    assert document["subjects"][0]["lacks"] == ["close"]


def test_state_kept_by_textarena_between_games_is_found() -> None:
    _, document = examined("textarena", "board", "--select", "API,CLS002,DET")
    assert {one["code"] for one in document["findings"]} == {"CLS002", "DET001"}
    assert document["subjects"][0]["episodes"][0]["ended"]


@pytest.mark.parametrize(
    ("module", "name", "reason"),
    [
        ("gymnasium", "workers", "AsyncVectorEnv is a vectorizer"),
        ("envpool", "pool_of_timesteps", "its TimeSteps are of many environments"),
        ("openenv", "echo", "its step() names no class of its own for its actions"),
    ],
)
def test_unplayable_object_is_refused_with_its_reason(module: str, name: str, reason: str) -> None:
    exit_code, document = examined(module, name)
    assert (exit_code, messages_of(document), document["passed"]) == (4, [], [])
    assert all(reason in one["reason"] for one in document["skipped"] if one["code"])


@pytest.mark.parametrize(("module", "name"), TRUE)
def test_all_of_check_finds_no_false_error(module: str, name: str) -> None:
    _, document = examined(module, name, "--budget", "60s")
    errors = {one["code"] for one in document["findings"] if one["severity"] == "error"}
    assert errors <= TRUE[module, name], messages_of(document, "error")
