"""Findings that need whole episodes, and calls after close(), through the installed command."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.zoo import examine, messages_of

ALONE = ("--managers", "direct")


def check(name: str, *words: str) -> tuple[int, dict[str, Any]]:
    return examine(f"whole_episodes.py:{name}", *words)


def alone(document: dict[str, Any]) -> dict[str, Any]:
    return document["subjects"][0]["episodes"][0]


@pytest.mark.everything
@pytest.mark.parametrize(
    ("name", "words", "code", "says"),
    [
        ("Hangs", ("--timeout", "4"), "HNG004", "step() hangs in whole_episodes.py:"),
        ("Dies", (), "PRC003", "ended with exit code 3 in step()"),
    ],
)
def test_the_end_of_an_episode_is_reported_with_its_step(
    name: str, words: tuple[str, ...], code: str, says: str
) -> None:
    exit_code, document = check(name, *ALONE, *words, "--select", "HNG,PRC003,API015")
    (message,) = messages_of(document)
    assert exit_code == 1
    assert message.startswith(f"{code} ")
    assert says in message
    assert message.endswith(", at step 30 of an episode")
    assert alone(document)["failed"]


def test_beginning_of_an_episode_that_fails_is_reported_with_its_number() -> None:
    exit_code, document = check("Crowded", *ALONE, "--select", "API015")
    (message,) = messages_of(document)
    assert exit_code == 1
    assert re.search(r"no place is left, at its \d+\w\w reset without a seed$", message)
    exit_code, document = check("Roomy", *ALONE, "--select", "API015")
    assert (exit_code, messages_of(document)) == (0, [])
    assert "API015" in {passed["code"] for passed in document["passed"]}


def test_beginning_of_an_episode_that_never_comes_is_reported_with_its_number() -> None:
    _, document = check("CrowdedAndWaits", *ALONE, "--timeout", "4", "--select", "HNG,API015")
    (message,) = messages_of(document)
    assert message.startswith("HNG003 ")
    assert re.search(r", at its \d+\w\w reset without a seed$", message)


@pytest.mark.parametrize(
    ("name", "says"), [("Counts", "the same comes again once self.count has"), ("Uneven", "")]
)
def test_episode_is_played_again_where_the_next_one_is_much_shorter(name: str, says: str) -> None:
    _, document = check(name, *ALONE, "--select", "DET")
    messages = messages_of(document)
    assert [message[:6] for message in messages] == ["DET002"] * bool(says)
    assert all(says in message for message in messages)
    if not says:
        assert "DET002" in {passed["code"] for passed in document["passed"]}


@pytest.mark.everything
@pytest.mark.parametrize(("name", "codes"), [("LastInfo", {"VEC005"}), ("PlainLastInfo", set())])
def test_info_of_the_last_step_is_pickled(name: str, codes: set[str]) -> None:
    words = ("--managers", "direct,gymnasium-async", "--start-methods", "fork")
    exit_code, document = check(name, *words, "--select", "VEC005,VEC008,API015,PRC003")
    errors = [one for one in document["findings"] if one["severity"] != "note"]
    assert {one["code"] for one in errors} == codes
    assert exit_code == int(bool(codes))
    for error in errors:
        assert "gymnasium-async cannot send the info of step(): info['sim']" in error["message"]
        assert error["blame"] == "environment"


@pytest.mark.everything
def test_as_many_episodes_as_are_asked_for() -> None:
    exit_code, document = check("Third", *ALONE, "--select", "API015")
    assert (exit_code, messages_of(document)) == (0, [])
    assert alone(document)["ended"] == {"truncated": 1}
    exit_code, document = check("Third", *ALONE, "--select", "API015", "--episodes", "4")
    (message,) = messages_of(document)
    assert exit_code == 1
    assert "no file, at step 30 of episode 3" in message
    _, document = check("Third", *ALONE, "--select", "API015,VEC010", "--steps", "10")
    assert alone(document) == {
        "manager": "direct",
        "start_method": None,
        "mode": "",
        "steps": 10,
        "longest": 0,
        "ended": {},
        "bound": "steps",
        "failed": "",
    }


@pytest.mark.everything
def test_growth_is_followed_across_whole_episodes() -> None:
    exit_code, document = examine("whole_episodes.py:Opens", "--time-budget", "20", command="leak")
    assert exit_code == 1
    (finding,) = [one for one in document["findings"] if one["severity"] == "error"]
    assert finding["code"] == "LEK005"
    assert "every episode that is played to its end leaves 1 descriptor" in finding["message"]
    assert finding["location"]["function"].endswith("_at_end")
    sides = [one["side"] for one in document["subjects"][0]["growth"]]
    assert sides == ["", "one instance", "whole episodes"]


@pytest.mark.everything
def test_workers_that_draw_in_c_from_one_seed() -> None:
    places = ("--managers", "gymnasium-async", "--start-methods", "fork")
    _, document = check("Constant", *places, "--select", "VEC002")
    (message,) = messages_of(document)
    assert "different workers live the same episodes" in message


@pytest.mark.everything
@pytest.mark.parametrize(("name", "found"), [("Forgetful", True), ("Mindful", False)])
def test_an_instance_that_plays_on_without_its_simulator(name: str, found: bool) -> None:
    _, document = check(name, *ALONE, "--select", "CLS016")
    messages = messages_of(document)
    assert bool(messages) is found
    assert all("reset() after close() starts nothing" in message for message in messages)
