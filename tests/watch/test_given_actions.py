"""Actions that are not in the action space of the instance whose step() raised."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import cast

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

from envdoctor.model import page
from envdoctor.model.finding import Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_errors import ErrorDetail
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.probe.live.boot import Hook
from envdoctor.probe.live.counted import Rows, counted
from envdoctor.probe.live.given_actions import misfit_of_action
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.training.trn004_process_died import process_died

PAIR = Box(-1.0, 1.0, (2,), np.float32)


class Loading:
    """What loads modules of ours: they are imported here already."""

    def load(self, name: str) -> object:
        """Return the module."""
        __import__(name)
        return sys.modules[name]


HOOK = cast(Hook, Loading())


class Arm(gymnasium.Env[int, object]):
    """Its step() raises."""

    def __init__(self, space: object, error: BaseException) -> None:
        self.action_space, self.error = space, error  # type: ignore[assignment]

    def step(self, action):
        raise self.error

    def move(self, action, *, speed=1.0):
        """A step() with more arguments."""
        raise self.error


def _names(
    action: object,
    space: object,
    error: BaseException | None = None,
    method: Callable[..., object] = Arm.step,
) -> list[str]:
    """The names of the circumstance of a step() that raises."""
    details: list[dict[str, object]] = []
    arm = Arm(space, error or TypeError("no"))
    numbers = memoryview(bytearray(8 * 4 * page.WIDTH)).cast("q")

    def failing(_: int, raised: BaseException) -> None:
        details.append(misfit_of_action(HOOK, raised))

    rows = Rows({id(arm): 2 * page.WIDTH + page.STEP})
    step = counted(method, "step", numbers, lambda: None, failing, rows=rows)
    with pytest.raises(type(arm.error)):
        step(arm, action)  # type: ignore[operator]
    (detail,) = details
    return detail.get("names", [])  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("action", "space", "names"),
    [
        (
            np.array([1, 2, 3]),
            Discrete(6),
            ["an array of shape (3,)", "Discrete(6)", "more", "3"],
        ),
        (np.array([1]), Discrete(6), ["an array of shape (1,)", "Discrete(6)", "more", "1"]),
        ([0.5, 0.5], Discrete(6), ["a list of 2", "Discrete(6)", "more", "2"]),
        (np.int64(6), Discrete(6), ["6", "Discrete(6)", "bounds", ""]),
        (0, Discrete(6, start=1), ["0", "Discrete(6, start=1)", "bounds", ""]),
        (0.5, Discrete(6), ["0.5", "Discrete(6)", "kind", ""]),
        (None, Discrete(6), ["None", "Discrete(6)", "kind", ""]),
        (np.float32(0.5), PAIR, ["an array of shape ()", str(PAIR), "less", ""]),
        (np.zeros((1, 2)), PAIR, ["an array of shape (1, 2)", str(PAIR), "more", "1"]),
        (np.zeros(3), PAIR, ["an array of shape (3,)", str(PAIR), "shape", ""]),
    ],
)
def test_action_that_does_not_fit_is_described(
    action: object, space: object, names: list[str]
) -> None:
    assert _names(action, space) == names
    assert _names(action, space, method=Arm.move) == names


@pytest.mark.parametrize(
    ("action", "space"),
    [
        (5, Discrete(6)),
        (np.int64(0), Discrete(6)),
        (np.array(3), Discrete(6)),
        (True, Discrete(2)),
        (np.ones(2), PAIR),  # most take numbers of any width
        (np.full(2, 7.0), PAIR),  # or clip them
        ([0.1, 0.2], PAIR),
        ({"move": 3}, Discrete(6)),
        ("north", Discrete(6)),
        (np.zeros(3), None),
        (np.zeros(3), lambda agent: PAIR),  # of each agent
        (np.zeros(3), gymnasium.spaces.Dict(move=PAIR)),
    ],
)
def test_action_that_fits_or_is_not_known_is_left_alone(action: object, space: object) -> None:
    assert _names(action, space) == []


@pytest.mark.parametrize(
    ("action", "how"),
    [
        (np.zeros(2), "dtype"),
        (np.full(2, 7.0, np.float32), "bounds"),
        (np.zeros(2, np.float32), ""),
    ],
)
def test_action_that_an_assertion_refuses_is_described(action: object, how: str) -> None:
    names = _names(action, PAIR, AssertionError())
    assert (names[2] if names else "") == how


class Herd(Arm):
    """Its step() moves each of its agents."""

    def __init__(self, *agents: str) -> None:
        super().__init__(None, KeyError())
        self.agents, self.speeds = agents, {"deer_0": 1.0}

    def step(self, actions):
        return [actions[agent] for agent in self.agents]

    def run(self, actions):
        """A step() that fails for another reason."""
        return [self.speeds[agent] for agent in self.agents]


@pytest.mark.parametrize(
    ("actions", "agents", "method", "names"),
    [
        ({"deer_0": 1}, ("deer_0", "deer_1"), Herd.step, ["'deer_0'", "'deer_1'", "agent", ""]),
        (
            {f"tiger_{number}": 1 for number in range(5)},
            ("deer_0",),
            Herd.step,
            ["'tiger_0', 'tiger_1', 'tiger_2' and 2 more", "'deer_0'", "agent", ""],
        ),
        ({"deer_0": 1}, ("deer_0", "deer_1"), Herd.run, []),
    ],
)
def test_agent_without_an_action_is_named(
    actions: dict[str, int],
    agents: tuple[str, ...],
    method: Callable[..., object],
    names: list[str],
) -> None:
    herd, details = Herd(*agents), []
    numbers = memoryview(bytearray(8 * 4 * page.WIDTH)).cast("q")

    def failing(_: int, raised: BaseException) -> None:
        details.append(misfit_of_action(HOOK, raised).get("names", []))

    rows = Rows({id(herd): 2 * page.WIDTH + page.STEP})
    step = counted(method, "step", numbers, lambda: None, failing, rows=rows)
    with pytest.raises(KeyError):
        step(herd, actions)  # type: ignore[operator]
    assert details == [names]


def test_space_that_is_made_when_it_is_asked_for_is_not_made() -> None:
    class Late(Arm):
        @property
        def action_space(self):
            pytest.fail("code of the user's runs")

        @action_space.setter
        def action_space(self, _: object) -> None:
            return

    arm = Late(None, TypeError())
    numbers = memoryview(bytearray(8 * 4 * page.WIDTH)).cast("q")
    details: list[dict[str, object]] = []

    def failing(_: int, raised: BaseException) -> None:
        details.append(misfit_of_action(HOOK, raised))

    rows = Rows({id(arm): 2 * page.WIDTH + page.STEP})
    step = counted(Arm.step, "step", numbers, lambda: None, failing, rows=rows)
    with pytest.raises(TypeError):
        step(arm, np.zeros(3))  # type: ignore[operator]
    assert details == [{}]


AT = Location("/arm.py", 13, "act")


def _training(names: tuple[str, ...], by: str, hosted: int) -> Training:
    error = Raised("TypeError", "no", AT, "step", detail=ErrorDetail("action", names))
    arm = Instances(
        1, 1, "arm.Arm", by=by, group="1.1", raised=1, step=Calls(1, 1), reset=Calls(1, 1)
    )
    others = [
        Instances(1, 2 + row, "arm.Arm", by=by, group="1.1", reset=Calls(1, 1))
        for row in range(hosted - 1)
    ]
    failed = Instances(**{**vars(arm), "error": error})
    process = TrainingProcess(1, code=1, raised=Raised("TypeError", "no", AT))
    return Training((), 1, 1, 0.4, (process,), (failed, *others))


@pytest.mark.parametrize(
    ("names", "by", "hosted", "cure"),
    [
        (("an array", "Discrete(6)", "more", "3"), "sync", 3, "these 3 actions alone"),
        (("an array", "Discrete(6)", "more", "3"), "sync", 2, "an element of the action space"),
        (("an array", "Discrete(6)", "more", "1"), "", 1, "`action[0]`"),
        (("0.5", "Box(2)", "less", ""), "sync", 2, "one action for each of its instances"),
        (("0.5", "Box(2)", "less", ""), "", 1, "an element of the action space"),
        (("6", "Discrete(6)", "bounds", ""), "", 1, "an element of Discrete(6) only"),
        (("'a'", "'b'", "agent", ""), "", 1, "an action of each agent"),
        (("an array", "Box(2)", "dtype", ""), "", 1, "astype(env.action_space.dtype)"),
    ],
)
def test_cure_follows_from_how_the_action_differs(
    names: tuple[str, ...], by: str, hosted: int, cure: str
) -> None:
    (finding,) = process_died.judge(watched_view(_training(names, by, hosted)))
    words = f": step() was given {names[0]}, and its action space is {names[1]}"
    if names[2] == "agent":
        words = f": step() was given actions of {names[0]}, and none of {names[1]}"
    assert words in finding.message
    assert cure in finding.remedy.text
