"""OpenEnv's server: what is known of it without it, and with it what it makes of environments."""

from __future__ import annotations

import os
from typing import Any

import pytest

from envdoctor.frameworks.openenv import ENDS, SERVER, closed_twice
from envdoctor.model.facts import Described, Survey
from envdoctor.plan.scenarios import managed
from envdoctor.rules.engine.examples import instance, raised, trace
from tests.interpreters import way_to
from tests.shapes.examined import ENVS, of, passed
from tests.support.zoo import examine

PYTHON = os.environ.get("ENVDOCTOR_OPENENV_PYTHON", "")
KNOWN = {
    "available": True,
    "reason": "",
    "start_methods": ["fork", "spawn"],
    "apis": ["openenv"],
    "on_request": True,
}
with_openenv = pytest.mark.skipif(not PYTHON, reason=way_to("ENVDOCTOR_OPENENV_PYTHON"))


def planned(api: str, *managers: str) -> tuple[list[str], list[str]]:
    """The scenarios under the server, and the reasons for having none."""
    survey = Survey.decode({"managers": {SERVER: KNOWN}})
    scenarios, left_out = managed("x", survey, Described(api=api), managers, ("fork",))
    return [one.name for one in scenarios], [one.reason for one in left_out]


def test_sessions_end_in_every_way_for_what_it_serves() -> None:
    names, _ = planned("openenv")
    assert names == [
        "life",
        "sessions-aborted",
        "sessions-stopped",
        "reset-over-http",
        "server-ended",
    ]


def test_no_word_is_lost_on_it_for_other_environments_unless_it_is_named() -> None:
    assert planned("gymnasium") == ([], [])
    _, (reason,) = planned("gymnasium", SERVER)
    assert reason.startswith("it needs an Environment of OpenEnv's kind")


def test_a_close_that_fails_and_is_called_again_is_a_defect() -> None:
    failed = instance("close-raised", 1, pid=7, parent=False, error=raised())
    closing = instance("closing", 1, pid=7, parent=False)
    assert "1 instances closed twice" in closed_twice(trace(closing, failed, closing, failed))
    assert closed_twice(trace(closing, failed)) == ""
    assert closed_twice(trace(closing, closing)) == ""


def served(name: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    chosen = ("--managers", SERVER, "--start-methods", "fork", "--timeout", "120")
    return examine(f"served.py:{name}", *chosen, "--python", PYTHON, *arguments, cwd=ENVS)


@pytest.mark.everything
@with_openenv
@pytest.mark.parametrize("name", ["Healthy", "Later"])
def test_a_healthy_one_is_closed_once_however_its_session_ends(name: str) -> None:
    exit_code, document = served(name, "--select", "API,CLS,PRC,VEC008")
    assert (exit_code, of(document, f"served.py:{name}")) == (0, {})
    assert {"CLS015", "PRC001", "PRC002", "VEC008"} <= passed(document, f"served.py:{name}")
    played = {one["name"] for one in document["scenarios"] if one["manager"] == SERVER}
    assert {"life", *(one.scenario for one in ENDS)} <= played


@pytest.mark.everything
@with_openenv
def test_each_fault_is_in_the_table_of_faults() -> None:
    """The table does not depend on how the server was started: a forked one knows the user's
    application.
    """
    words = ("--faults", "--select", "DOC", "--managers", SERVER, "--timeout", "120")
    _, document = examine("served.py:Healthy", *words, "--python", PYTHON, cwd=ENVS)
    seen: dict[str, set[tuple[str, str]]] = {}
    for one in document["subjects"][0]["faults"]:
        seen.setdefault(one["fault"], set()).add((one["sees"], one["call"]))
    assert seen == {
        "constructor": {("other", "reset")},
        "reset": {("itself", "reset")},
        "step": {("itself", "step")},
        "close": {("nothing", "")},
        "kill": {("other", "step")},
        "slow": {("nothing", "")},
    }
