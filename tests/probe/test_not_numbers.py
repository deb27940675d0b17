"""Rewards and observations that are not finite numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from envdoctor.model.trajectory import Call
from envdoctor.probe.comparison.comparing import kind_of, not_numbers
from envdoctor.probe.comparison.frozen import freeze


def reset(observation: object = 0.0) -> Call:
    return Call("reset", observation=freeze(observation))


def step(reward: object, observation: object = 0.0) -> Call:
    return Call("step", reward=freeze(reward), observation=freeze(observation))


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (math.nan, "nan"),
        (-math.inf, "inf"),
        (np.float32("nan"), "nan"),
        (np.float64("inf"), "inf"),
        (np.array([1.0, np.nan, np.inf]), "nan"),
        (np.array([[1.0], [-np.inf]], np.float16), "inf"),
        ({"image": np.zeros(3), "pose": (1.0, math.nan)}, "nan"),
        ([np.array([np.inf]), np.array([np.nan])], "nan"),
        (1.5, ""),
        (3, ""),
        (None, ""),
        ("nan", ""),
        (np.array([]), ""),
        (np.zeros(3, np.uint8), ""),
        (np.array(["nan"]), ""),
        (np.array(["NaT"], "datetime64[s]"), ""),
        (object(), ""),
        ({1: 2}, ""),
    ],
    ids=lambda value: type(value).__name__ if type(value) is object else repr(value),
)
def test_kind_of_a_value(value: object, kind: str) -> None:
    assert kind_of(freeze(value)) == kind


def test_value_that_is_digested_is_not_known() -> None:
    assert kind_of(freeze(np.full(100_000, np.nan))) == ""
    assert kind_of(None) == ""


def test_steps_are_counted_within_their_episodes() -> None:
    calls = [reset(), step(1.0), step(math.nan), reset(), step(math.inf), step(2, [math.nan])]
    assert not_numbers(calls) == {
        "steps": 4,
        "rewards": 2,
        "reward": "nan",
        "first_reward": 2,
        "observations": 1,
        "first_observation": 2,
    }


def test_observation_of_reset_is_step_0() -> None:
    counts = not_numbers([reset(np.array([np.nan])), step(0.0)])
    assert counts is not None
    assert (counts["observations"], counts["first_observation"], counts["rewards"]) == (1, 0, 0)


@pytest.mark.parametrize(
    "calls",
    [[], [reset()], [reset(), step(1.0, np.array([np.inf]))], [reset(math.inf), step(None)]],
    ids=["nothing", "no step", "a sensor that sees no wall", "no reward"],
)
def test_finite_rewards_and_infinite_observations_are_nothing(calls: list[Call]) -> None:
    assert not_numbers(calls) is None
