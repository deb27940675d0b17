"""Environments of OpenEnv's: without it, and with it where ENVDOCTOR_OPENENV_PYTHON names an
interpreter that has it.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.interpreters import way_to
from tests.shapes import echo
from tests.shapes.examined import ENVS, of, passed, skipped
from tests.support.zoo import examine, messages_of

PYTHON = os.environ.get("ENVDOCTOR_OPENENV_PYTHON", "")

REFUSED = {
    "AnyAction": "its step() names no class of its own for its actions; give one with --action",
}
HEALTHY = ("Healthy", "Asynchronous")
NAMES = (*HEALTHY, "Leaving", "LeavingLater", *REFUSED)


@cache
def stood_in() -> tuple[int, dict[str, Any]]:
    specs = (f"served.py:{name}" for name in NAMES)
    chosen = ("--managers", "direct", "--jobs", "2", "--select", "ASY,CLS,DET")
    return examine(*specs, *chosen, cwd=ENVS / "standin")


@pytest.mark.everything
@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_one_is_healthy_and_says_what_was_played(name: str) -> None:
    _, document = stood_in()
    spec = f"served.py:{name}"
    assert of(document, spec) == {}
    assert {"CLS007", "CLS012", "DET001", "DET002"} <= passed(document, spec)
    own = next(one for one in document["subjects"] if one["spec"] == spec)
    assert own["actions"]["example"] == "Say(metadata={}, message='so')"
    assert [(one["longest"], one["ended"]) for one in own["episodes"]] == [(9, {"terminated": 1})]


@pytest.mark.everything
def test_leftover_thread_of_a_session_is_found() -> None:
    exit_code, document = stood_in()
    assert exit_code == 1
    assert "threads running" in of(document, "served.py:Leaving")["CLS007"]


@pytest.mark.everything
def test_a_close_that_is_a_coroutine_never_runs() -> None:
    _, document = stood_in()
    found = of(document, "served.py:LeavingLater")
    assert found["ASY001"].startswith(
        "LeavingLater.close() is a coroutine that is never awaited, so it never runs"
    )
    assert "1 thread running" in found["CLS007"]


@pytest.mark.everything
@pytest.mark.parametrize("name", REFUSED)
def test_unplayable_environment_is_refused_with_its_reason(name: str) -> None:
    _, document = stood_in()
    spec = f"served.py:{name}"
    assert (of(document, spec), passed(document, spec)) == ({}, set())
    reasons = {why for code, why in skipped(document, spec).items() if code}
    assert reasons == {f"it cannot be played: {REFUSED[name]}"}


@pytest.mark.skipif(not PYTHON, reason=way_to("ENVDOCTOR_OPENENV_PYTHON"))
def test_the_factory_of_a_real_application_is_played() -> None:
    chosen = ("--managers", "direct", "--python", PYTHON, "--timeout", "120", "--select", "CLS,DET")
    _, document = examine("served.py:app", *chosen, cwd=ENVS)
    assert document["findings"] == []
    assert {"CLS007", "DET001", "DET002"} <= passed(document, "served.py:app")
    own = document["subjects"][0]
    assert own["env_class"] == "served.Healthy"
    assert own["actions"]["example"] == "Say(metadata={}, message='hello')"


@pytest.mark.everything
@pytest.mark.skipif(not PYTHON, reason=way_to("ENVDOCTOR_OPENENV_PYTHON"))
def test_openenvs_own_echo_environment_has_no_errors(tmp_path: Path) -> None:
    """All that `check` plays where nothing is chosen, its server included."""
    here = echo.written(PYTHON, tmp_path)
    arguments = ("--python", PYTHON, "--timeout", "120")
    exit_code, document = examine("echo_env.server.app:app", *arguments, cwd=here)
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    played = {one["name"] for one in document["scenarios"] if one["manager"] == "openenv-server"}
    assert {"life", "sessions-aborted", "sessions-stopped", "server-ended"} <= played
