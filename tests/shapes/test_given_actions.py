"""Actions that the user gives: what is played, what the report says, and what is never blamed on the environment."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.shapes.examined import ENVS, passed, skipped
from tests.support.zoo import examine, messages_of

CONFIG = """
managers = ["direct"]
[environments."given.py:Talk"]
actions = "given.py:answer"
[environments."given.py:Typed"]
actions = "given.py:script"
[environments."given.py:Moves"]
action = { x = 3 }
[environments."given.py:Undrawn"]
actions = "given.py:going"
[environments."players.py:Healthy"]
actions = "given.py:turns"
[environments."parallel.py:Healthy"]
actions = "given.py:walk"
[environments."rows.py:Healthy"]
action = 1
"""

REFUSED = """
managers = ["direct"]
[environments."given.py:Talk"]
actions = "given.py:late"
[environments."given.py:Typed"]
action = { words = 3 }
[environments."given.py:Undrawn"]
action = "stay"
[environments."players.py:Healthy"]
actions = "given.py:nothing"
[environments."parallel.py:Healthy"]
actions = "given.py:one_only"
[environments."rows.py:Healthy"]
action = "up"
"""

REASONS = {
    "given.py:Talk": "--actions given.py:late: it raised KeyError: 'nothing more to say'",
    "given.py:Typed": "--action {words = 3}: TypeError: Say.__init__() got an unexpected keyword argument 'words'",
    "given.py:Undrawn": "--action \"stay\": 'stay' is not in its action space",
    "players.py:Healthy": "--actions given.py:nothing: AttributeError",
    "parallel.py:Healthy": "--actions given.py:one_only: it has to take (observation, agent, step)",
    "rows.py:Healthy": "--action \"up\": 'up' is not in its action space: Discrete(3)",
    "given.py:Moves": "which numbers Move.x takes cannot be told without bounds; give one with --action",
}


@cache
def played(config: str) -> tuple[int, dict[str, Any]]:
    """The environments of a configuration, each with its actions."""
    file = ENVS / f".{os.getpid()}-{len(config)}.toml"
    file.write_text(config)
    try:
        specs = [line[15:-2] for line in config.splitlines() if line.startswith("[")]
        if "Moves" not in config:
            specs.append("given.py:Moves")
        chosen = ("--select", "CLS007,DET", "--jobs", "2", "--config", str(file))
        return examine(*specs, *chosen, cwd=ENVS)
    finally:
        file.unlink(missing_ok=True)


def actions_of(document: dict[str, Any]) -> dict[str, dict[str, str]]:
    return {one["spec"]: one["actions"] for one in document["subjects"] if "actions" in one}


@pytest.mark.everything
def test_given_actions_are_played_in_every_shape_and_reported() -> None:
    exit_code, document = played(CONFIG)
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    found = actions_of(document)
    assert found.pop("given.py:Moves") == {
        "kind": "value",
        "text": "{x = 3}",
        "type": "Move",
        "example": "Move(x=3)",
    }
    assert {spec: (one["kind"], one["text"], one["example"]) for spec, one in found.items()} == {
        "given.py:Talk": ("function", "given.py:answer", "'more'"),
        "given.py:Typed": ("function", "given.py:script", "Say(message='one', volume=None)"),
        "given.py:Undrawn": ("function", "given.py:going", "'go'"),
        "players.py:Healthy": ("function", "given.py:turns", "'[4]'"),
        "parallel.py:Healthy": ("function", "given.py:walk", "np.int64(0)"),
        "rows.py:Healthy": ("value", "1", "np.int64(1)"),
    }
    assert {"CLS007", "DET001", "DET002"} <= passed(document, "given.py:Moves")


@pytest.mark.everything
def test_episodes_end_as_the_functions_say() -> None:
    _, document = played(CONFIG)
    longest = {one["spec"]: one["episodes"][0]["longest"] for one in document["subjects"]}
    wanted = {"given.py:Talk": 4, "given.py:Typed": 2, "given.py:Undrawn": 5}
    assert {spec: longest[spec] for spec in wanted} == wanted


@pytest.mark.everything
@pytest.mark.parametrize("spec", REASONS)
def test_failing_function_of_actions_is_not_a_finding(spec: str) -> None:
    exit_code, document = played(REFUSED)
    assert (exit_code, document["findings"], document["passed"]) == (4, [], [])
    reasons = {reason for code, reason in skipped(document, spec).items() if code}
    assert len(reasons) == 1
    assert next(iter(reasons)).startswith(f"it cannot be played: {REASONS[spec]}")


def test_the_fields_of_a_class_are_filled_where_they_say_enough() -> None:
    exit_code, document = examine(
        "given.py:Typed",
        "--managers",
        "direct",
        "--select",
        "API,CLS007",
        "--budget",
        "6s",
        cwd=ENVS,
    )
    assert (exit_code, messages_of(document)) == (0, [])
    assert document["subjects"][0]["actions"] == {
        "kind": "fields",
        "text": "",
        "type": "Say",
        "example": "Say(message='hello', volume=None)",
    }


def test_leak_plays_the_action_of_the_command_line() -> None:
    arguments = ("--action", "{x = 3}", "--cycles", "7", "--time-budget", "2")
    _, document = examine("given.py:Moves", *arguments, cwd=ENVS, command="leak")
    assert messages_of(document, "error", "warning") == []
    assert document["subjects"][0]["growth"]
    assert actions_of(document)["given.py:Moves"]["example"] == "Move(x=3)"


@pytest.mark.everything
def test_no_vectorizer_plays_what_is_given(tmp_path: Path) -> None:
    _, document = examine(
        "CartPole-v1", "--action", "1", "--select", "CLS001", "--budget", "1s", cwd=tmp_path
    )
    reasons = {one["manager"]: one["reason"] for one in document["skipped"] if not one["code"]}
    assert reasons["gymnasium-sync"] == (
        "actions that are given are played without a vectorizer only"
    )


def test_a_program_gives_a_value_or_a_function() -> None:
    from envdoctor.api import check
    from tests.shapes.given import more

    spec = str(ENVS / "given.py:Talk")
    for given in ({"action": "more"}, {"actions": more}):
        report = check(spec, managers="direct", select="CLS001", **given)
        assert report.subjects[0].actions is not None
        assert report.subjects[0].actions.example == "'more'"
        assert not report.findings
