"""Rewards that are not finite, and whose doing that is."""

from __future__ import annotations

import math

import numpy as np
import pytest

from envdoctor.probe.live.steps import _is_spoiled, is_finite


def step(self, action):  # its code says where the action is
    return self, action


def is_spoiled(reward: object, action: object) -> bool:
    values = {"self": None, "action": action}
    return _is_spoiled((0, reward, False, False, {}), values, step.__code__)


@pytest.mark.parametrize("reward", [math.nan, math.inf, np.float32("nan"), np.array([1.0, np.nan])])
@pytest.mark.parametrize("action", [0, 0.5, True, np.int64(2), np.zeros(3, np.float32), [0.1, 2]])
def test_reward_that_is_not_finite_for_an_action_that_is(reward: object, action: object) -> None:
    assert is_spoiled(reward, action)


@pytest.mark.parametrize("action", [math.nan, np.array([0.0, np.inf]), (0.0, math.nan)])
def test_action_that_is_not_finite_is_the_policys(action: object) -> None:
    assert not is_spoiled(math.nan, action)


@pytest.mark.parametrize("action", [None, "left", object(), {"move": 1}, np.array(["left"])])
def test_action_that_is_not_known_proves_nothing(action: object) -> None:
    assert not is_spoiled(math.nan, action)


@pytest.mark.parametrize("reward", [0.0, 3, np.float64(2.5), None, "nan", object(), [1.0, None]])
def test_other_rewards_are_not_counted(reward: object) -> None:
    assert not is_spoiled(reward, 0)


def test_value_without_a_reward_is_not_counted() -> None:
    values = {"self": None, "action": 0}
    assert not _is_spoiled((0, math.nan), values, step.__code__)
    assert not _is_spoiled(None, values, step.__code__)
    assert is_finite(np.array([])) is True


def any_step(self, *arguments):
    return self, arguments


def test_action_of_a_step_that_takes_any_arguments_is_known() -> None:
    transition = (0, math.nan, False, False, {})
    assert _is_spoiled(transition, {"self": None, "arguments": (0,)}, any_step.__code__)
    assert not _is_spoiled(transition, {"self": None, "arguments": (math.nan,)}, any_step.__code__)


class Loud(float):
    def __float__(self):
        raise AssertionError("code of the user's")


def test_class_of_the_users_is_not_asked() -> None:
    assert is_finite(Loud(math.nan)) is None
