"""An environment that cannot be played is refused with its reason: exit 4, nothing found, nothing
passed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.shapes.examined import passed, skipped, together
from tests.support.zoo import messages_of

REASONS = {
    "Game": "reset() insists on num_players, and what to give it is not known",
    "Tools": (
        "it has no action_space, and step() does not take the action 0: AttributeError: 'int'"
        " object has no attribute 'message'"
    ),
    "Batch": "it is a batch of environments (it has num_envs) of a class that is not known",
    "Fleet": (
        "Fleet is a vectorizer: name the environment itself, and play it under --managers"
        " agilerl-async"
    ),
    "Page": "action_space.sample() raises NotImplementedError; give one with --action",
    "Waiting": "its reset() is an asynchronous generator, and only coroutines are played",
}


@cache
def examined() -> tuple[int, dict[str, Any]]:
    return together(*(f"unknown.py:{name}" for name in REASONS))


def test_nothing_is_found_and_nothing_passes() -> None:
    exit_code, document = examined()
    assert exit_code == 4
    assert messages_of(document) == []
    assert document["passed"] == []


@pytest.mark.parametrize("name", REASONS)
def test_the_reason_is_reported_for_every_rule(name: str) -> None:
    _, document = examined()
    reasons = set(skipped(document, f"unknown.py:{name}").values())
    assert reasons == {f"it cannot be played: {REASONS[name]}"}


@pytest.mark.everything
def test_an_object_that_takes_any_action_is_played() -> None:
    exit_code, document = together("unknown.py:Plain", arguments=("--select", "API,CLS007"))
    assert (exit_code, messages_of(document)) == (0, [])
    assert passed(document, "unknown.py:Plain") >= {"API011", "API013"}


@pytest.mark.everything
def test_a_space_that_draws_nothing_is_played_with_what_is_given() -> None:
    words = ("--action", '"click left"', "--select", "API")
    exit_code, document = together("unknown.py:Page", arguments=words)
    assert (exit_code, messages_of(document)) == (0, [])
    assert "API001" in passed(document, "unknown.py:Page")


@pytest.mark.everything
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Stuck", "step(): raises RuntimeError: the arm is stuck"),
        ("Lost", "reset(): raises KeyError: 'floor'"),
    ],
)
def test_an_error_of_its_own_is_no_reason_to_refuse(name: str, message: str) -> None:
    exit_code, document = together(f"unknown.py:{name}", arguments=("--select", "API001"))
    assert exit_code == 1
    assert any(message in line for line in messages_of(document)), messages_of(document)
