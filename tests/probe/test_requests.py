"""Messages from the doctor to the probe, and from the probe to a manager."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.model.play_request import PlayRequest
from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import ID, Subject

SUBJECT = Subject("CartPole-v1", ID, name="CartPole-v1", kwargs={"a": [1]}, imports=("walks",))
SCENARIO = Scenario("life", "make reset step:3 close drop", options=(("shared_memory", False),))
REQUEST = PlayRequest(SCENARIO, SUBJECT, "/run/1.jsonl", 7, 2.5, "/run/spaces")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)


def test_a_request_arrives_as_it_was_sent() -> None:
    line = REQUEST.encoded()
    assert line.endswith("\n")
    assert "\n" not in line[:-1]
    assert PlayRequest.decode(line) == REQUEST


@given(json_values)
def test_json_without_a_request_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="no request"):
        PlayRequest.decode(json.dumps(value))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seed", "7"),
        ("seed", None),
        ("step_budget", "long"),
        ("journal", 1),
        ("spaces", 1),
        ("scenario", {"name": "life"}),
        ("scenario", None),
        ("subject", {}),
        ("another", 1),
    ],
)
def test_a_request_with_another_type_is_refused(key: str, value: Any) -> None:
    told = json.loads(REQUEST.encoded())
    with pytest.raises(ValueError, match="no request"):
        PlayRequest.decode(json.dumps({**told, key: value}))


def test_arguments_of_the_manager_are_separated_from_ours() -> None:
    options = LaunchOptions.decode(
        (("reset_param", [["mode", "hard"]]), ("fails_once", 1), ("max_retry", 2)), 7
    )
    assert (options.seed, options.fails_once) == (7, 1)
    assert options.reset_parameters == {"mode": "hard"}
    assert options.arguments == {"max_retry": 2}


def test_a_manager_of_another_package_asks_by_name() -> None:
    options = LaunchOptions.decode((("shared_memory", False),), 7)
    assert dict(options) == {"seed": 7, "shared_memory": False}
    assert options.get("seed", 0) == 7
    assert options.get("fails_once") is None
    assert "reset_param" not in options


@pytest.mark.parametrize(
    "wrong", [("fails_once", -1), ("fails_once", "1"), ("reset_param", 3), ("reset_param", [1])]
)
def test_options_that_are_none_are_refused(wrong: tuple[str, Any]) -> None:
    with pytest.raises(ValueError, match=wrong[0]):
        LaunchOptions.decode((wrong,), 0)
