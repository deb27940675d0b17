"""An environment that is checked below wrappers has got from them what it needs."""

from __future__ import annotations

from typing import Any

import pytest

from envdoctor.probe.adapters.own_checker import _reset_by_wrappers


class Arm:
    task: str | None = None

    def reset(self) -> str:
        assert self.task is not None
        return self.task


class SetsTask:
    """A wrapper without which the arm cannot be reset."""

    def __init__(self, env: Any) -> None:
        self.env = env

    def reset(self) -> Any:
        self.env.task = "reach"
        return self.env.reset()


class Passes(SetsTask):
    def reset(self) -> Any:
        return self.env.reset()


Order = type("Order", (SetsTask,), {"__module__": "gymnasium.wrappers.common"})


def test_arm_has_the_task_that_its_wrapper_sets() -> None:
    arm = Arm()
    _reset_by_wrappers(Order(SetsTask(arm)), arm)
    assert arm.reset() == "reach"


@pytest.mark.parametrize("around", [Order, Passes, lambda arm: arm])
def test_arm_without_a_task_still_fails(around: Any) -> None:
    arm = Arm()
    _reset_by_wrappers(around(arm), arm)
    with pytest.raises(AssertionError):
        arm.reset()
