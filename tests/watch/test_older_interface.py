"""What only values know where two versions, or two libraries, of one interface meet."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable

import gymnasium
import pytest

from envdoctor.probe.live.older_interface import Detail, both, older_seed, other_library
from envdoctor.probe.live.raised import _entries


class Motor(gymnasium.Env[int, int]):
    """reset() returns an observation and an info."""

    def reset(self, **_: object) -> tuple[int, dict[str, object]]:
        """Begin an episode."""
        return 0, {}


class Plan:
    """It has a reset() of its own, and is not an environment."""

    def reset(self) -> None:
        """Forget it."""


ENV = Motor()


def read_both() -> None:
    obs = ENV.reset(seed=3)
    obs + 1  # type: ignore[operator]


def read_both_in_another_function() -> None:
    state = ENV.reset()  # the state
    add(state)


def add(obs: object) -> object:
    return obs + 1  # type: ignore[operator]


def read_something_else() -> None:
    obs = ENV.reset()
    count, nothing = 3, None
    assert obs
    count + nothing  # type: ignore[operator]


def read_another_pair() -> None:
    obs, other = ENV.reset()[0], (0, {})  # type: ignore[var-annotated]
    other + obs  # type: ignore[operator]


def take_both() -> None:
    obs, info = ENV.reset()
    obs + info  # type: ignore[operator]


def _detail(function: Callable[[], None]) -> Detail:
    with pytest.raises(TypeError) as raised:
        function()
    return both(list(_entries(raised.value)))


def test_variable_that_has_both_values_of_reset_is_named() -> None:
    assert _detail(read_both) == {"kind": "both", "names": ["obs"]}
    assert _detail(read_both_in_another_function) == {"kind": "both", "names": ["state"]}


@pytest.mark.parametrize("function", [read_something_else, read_another_pair, take_both])
def test_other_variables_are_left_alone(function: Callable[[], None]) -> None:
    assert _detail(function) == {}


def test_environment_without_the_older_seed_is_named() -> None:
    assert older_seed(ENV, "seed") == {"kind": "older-seed", "names": ["Motor"]}
    for obj, name in ((ENV, "speed"), (Plan(), "seed"), (None, "seed")):
        assert older_seed(obj, name) == {}


class NameNotFound(Exception):
    """As Gymnasium has it."""


NameNotFound.__module__ = "gymnasium.error"


@pytest.mark.parametrize("is_older", [True, False])
def test_library_that_knows_the_id_is_named(
    is_older: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = types.ModuleType("gym.envs.registration")
    known = {"Rover-v0": object()}
    module.registry = types.SimpleNamespace(env_specs=known) if is_older else known  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "gym.envs.registration", module)
    error = NameNotFound("Environment `Rover` doesn't exist.")
    assert other_library(error, ["Rover", "Rover-v0"]) == {
        "kind": "other-library",
        "names": ["gym", "gymnasium"],
    }
    assert other_library(error, ["Walker-v0"]) == {}
    assert other_library(ValueError(), ["Rover-v0"]) == {}


def test_library_that_was_not_imported_knows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "gym.envs.registration", raising=False)
    assert other_library(NameNotFound(), ["CartPole-v1"]) == {}
