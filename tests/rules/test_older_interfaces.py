"""Exceptions in which the interface of before Gym 0.26 meets the one after it."""

from __future__ import annotations

import pytest

from envdoctor.model.training_instances import Raised
from envdoctor.rules.wording.training_deaths import known_cause

MANY, FEW = "too many values to unpack (expected {})", "not enough values to unpack (expected {}{})"
TAKES_FIVE = "obs, r, te, tr, info = self.envs[0].step(act(obs))"
SB3, GYM = "stable_baselines3.common.vec_env.dummy_vec_env", "gym.utils.passive_env_checker"


def unpacked(message: str, text: str = "", within: str = "__main__") -> tuple[str, str]:
    return known_cause(Raised("ValueError", message, within=within, text=text)) or ("", "")


@pytest.mark.parametrize(
    ("message", "text", "missed", "cure"),
    [
        (MANY.format(2), "obs, info = env.reset(seed=3)", "observation alone", "take it alone"),
        (FEW.format(2, ", got 1"), "obs, _ = env.reset()", "observation alone", "take it alone"),
        (FEW.format(5, ", got 4"), TAKES_FIVE, "four values", "return (observation, reward"),
        (MANY.format(4), "o, r, d, i = env.step(a)", "five values", "take `observation, reward"),
        (
            MANY.format("4, got 5"),
            "o, r, d, i = env.step(a)  # moves",
            "five values",
            "take `observation",
        ),
    ],
)
def test_line_that_takes_another_number_of_values(
    message: str, text: str, missed: str, cure: str
) -> None:
    said = unpacked(message, text)
    assert missed in said[0]
    assert cure in said[1]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (MANY.format(2), "a, b = line.split()"),
        (MANY.format(3), "o, r, d = env.step(a)"),
        (MANY.format(4), "o, r, d, i = env.reset()"),
        (FEW.format(5, ", got 4"), ""),
        (MANY.format(4), "o, r, d, i = env.step_all(a)"),
        (FEW.format(5, ", got 4"), "o, r, d, t, i = env.step(a)[:4]"),
        (MANY.format(2), "o, i = env.reset()[0].shape"),
        ("name 'step' is not defined", "o, r, d, i = env.step(a)"),
    ],
)
def test_other_lines_are_not_explained(message: str, text: str) -> None:
    assert unpacked(message, text) == ("", "")


def test_line_of_a_library_asks_the_environment_alone() -> None:
    assert unpacked(MANY.format(2), within=SB3) == (
        ": reset() returned the observation alone, as before Gym 0.26, and as some vectorizers do",
        "return (observation, info) from reset() of the environment.",
    )
    assert "terminated, truncated" in unpacked(FEW.format(5, ", got 4"), within=SB3)[1]
    assert unpacked(MANY.format(4), within=SB3) == ("", "")
    assert unpacked(MANY.format(2), within="pandas.core") == ("", "")


@pytest.mark.parametrize("name", ["Arm.", ""])
def test_reset_that_takes_no_seed(name: str) -> None:
    error = Raised("TypeError", f"{name}reset() got an unexpected keyword argument 'seed'")
    missed, cure = known_cause(error) or ("", "")
    assert ("of Arm" in missed) is bool(name)
    assert "seed=None and options=None" in cure
    assert (
        known_cause(Raised("TypeError", "step() got an unexpected keyword argument 'seed'")) is None
    )


def test_known_defect_is_said_where_its_package_raises() -> None:
    message = "module 'numpy' has no attribute 'bool8'"
    missed, cure = known_cause(Raised("AttributeError", message, within=GYM)) or ("", "")
    assert "gym has a known defect" in missed
    assert "numpy<2" in cure
    assert known_cause(Raised("AttributeError", message, within="__main__")) is None


def test_mode_of_render_is_given_where_the_environment_is_made() -> None:
    message = "OrderEnforcing.render() got an unexpected keyword argument 'mode'"
    missed, cure = known_cause(Raised("TypeError", message)) or ("", "")
    assert missed == ": render() takes no mode since Gym 0.26"
    assert 'render_mode="rgb_array"' in cure
    assert known_cause(Raised("TypeError", message.replace("render", "draw"))) is None
