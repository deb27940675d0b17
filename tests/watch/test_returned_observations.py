"""Observations that a vectorizer could not take."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import cast

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box
from gymnasium.vector import SyncVectorEnv

from envdoctor.model.finding import Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_errors import ErrorDetail
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.probe.adapters.gymnasium.watch_hooks import VECTORIZERS
from envdoctor.probe.live.boot import Hook
from envdoctor.probe.live.raised import _entries
from envdoctor.probe.live.returned_observations import misfit_of_observation
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.training.trn004_process_died import process_died


class Arm(gymnasium.Env[np.ndarray, int]):
    """It returns as many numbers as it is told to, after some good ones."""

    observation_space = Box(-1.0, 1.0, (3,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, width: int = 3) -> None:
        self.width = width

    def reset(self, *, seed=None, options=None):
        return np.zeros(3, np.float32), {}

    def step(self, action):
        return np.zeros(self.width, np.float32), 0.0, False, False, {}


class Camera(Arm):
    """One with another space."""

    observation_space = Box(-1.0, 1.0, (4,))


def _names(error: BaseException, *instances: object) -> object:
    rows = [lambda instance=instance: instance for instance in instances]
    watched = SimpleNamespace(vectorizers=VECTORIZERS, rows=lambda: rows)
    hook = SimpleNamespace(load=lambda _: SimpleNamespace(_known=[watched]))
    entries = list(_entries(error))
    return misfit_of_observation(cast(Hook, hook), error, entries).get("names", [])


def _stepped(*arms: Arm) -> BaseException:
    vectorizer = SyncVectorEnv([lambda arm=arm: arm for arm in arms])  # type: ignore[misc]
    vectorizer.reset()
    with pytest.raises(ValueError, match="shape") as raised:
        vectorizer.step([0] * len(arms))
    return raised.value


def test_observation_of_another_shape_is_described() -> None:
    arms = Arm(), Arm(4)
    names = ["(4,)", "Arm", "Box(-1.0, 1.0, (3,), float32)"]
    assert _names(_stepped(*arms), *arms) == names


def test_instances_of_several_spaces_are_left_alone() -> None:
    arms = Arm(), Arm(4)
    assert _names(_stepped(*arms), *arms, Camera()) == []
    assert _names(_stepped(*arms)) == []


def _learn(obs: np.ndarray) -> None:
    """A script's own code, which has the observations of all instances."""
    raise ValueError(obs.shape)


def _stack(observations: np.ndarray) -> None:
    """A wrapper of vectorizers, of a library."""
    raise ValueError(observations.shape)


STACK = type(_stack)(
    _stack.__code__, {"__name__": "gymnasium.wrappers.vector", "ValueError": ValueError}
)


@pytest.mark.parametrize("function", [_learn, STACK])
def test_observations_of_other_code_are_left_alone(function) -> None:
    with pytest.raises(ValueError, match="2") as raised:
        function(np.zeros((2, 5)))
    assert _names(raised.value, Arm(), Arm()) == []


def test_exception_of_an_environment_is_left_alone() -> None:
    class Broken(Arm):
        def step(self, action):
            obs = np.zeros(7)
            raise ValueError(f"shape {obs.shape}")

    arm = Broken()
    assert _names(_stepped(arm), arm) == []


def test_other_exceptions_and_no_environment_are_left_alone() -> None:
    arms = Arm(), Arm(4)
    error = KeyError("x").with_traceback(_stepped(*arms).__traceback__)
    assert _names(error, *arms) == []
    assert "envdoctor.probe.live.returned_observations" in sys.modules


def test_finding_names_the_class_and_both_shapes() -> None:
    detail = ErrorDetail("observation", ("(4,)", "Arm", "Box(3)"))
    error = Raised("ValueError", "no", Location("/train.py", 3, "main"), detail=detail)
    arm = Instances(1, 1, "arm.Arm", reset=Calls(1, 1))
    process = TrainingProcess(1, code=1, raised=error)
    (finding,) = process_died.judge(watched_view(Training((), 1, 1, 0.4, (process,), (arm,))))
    assert finding.message.endswith(
        ": Arm returned an observation of shape (4,), and its space is Box(3)"
    )
    assert finding.remedy.text.startswith("let reset() and step() of Arm return what")
