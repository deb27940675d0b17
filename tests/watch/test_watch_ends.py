"""Calls of step() after an end, as a watched process sees them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from envdoctor.model import page
from envdoctor.model.page import ENDS, PAST, RUN_ON
from envdoctor.probe.live import ends
from envdoctor.probe.live.counted import Rows, counted
from envdoctor.probe.live.steps import look_at, look_before_reset
from tests.support.zoo import examine

ROW, KEY = 2 * page.WIDTH, "step"
ON, OVER, CUT = (0, 0.5, False, False, {}), (0, 0.5, True, False, {}), (0, 0.5, False, True, {})


class Played:
    """An instance whose step() returns one result after another, or raises it."""

    def __init__(self, *results: object) -> None:
        self.results = iter(results)
        self.numbers = [0] * (3 * page.WIDTH)
        self.numbers[ROW + page.INSTANCES] = 1
        self.page, self.name, self.wrappers = self, "page", ("library.Wrapper",)
        self.written: list[dict[str, Any]] = []
        rows = Rows({id(self): ROW + page.STEP})
        calls = (lambda: None, lambda *_: None)
        self.counted = counted(Played.step, "step", self.numbers, *calls, None, rows)
        self.reset()

    def step(self, action):
        result = next(self.results)
        if isinstance(result, Exception):
            raise result
        return result

    def reset(self) -> None:
        self.numbers[ROW + page.AT_BEGINNING] = self.numbers[ROW + page.STEP + 1]
        look_at(self, ROW, id(self), self.counted)

    def tell(self, what: str, **keys: Any) -> None:
        self.written.append({"what": what, **keys})

    def play(self, steps: int) -> tuple[int, int, int]:
        """Return the ends that were seen, those after which it was played on, and for how long."""
        for _ in range(steps):
            with contextlib.suppress(ValueError):
                self.counted(self, 0)
        return tuple(self.numbers[ROW + column] for column in (ENDS, RUN_ON, PAST))  # type: ignore[return-value]


@pytest.mark.parametrize("over", [OVER, CUT, (0, 0.5, np.True_, False, {}), (0, 0.5, True, {})])
def test_steps_after_an_end_are_counted(over: object) -> None:
    assert Played(*[ON] * 30, *[over] * 9).play(39) == (1, 1, 8)


def test_step_that_raises_after_an_end_is_counted_with_its_line() -> None:
    played = Played(ON, OVER, ValueError())
    assert played.play(3) == (1, 1, 1)
    (told,) = played.written
    assert (told["what"], told["row"], told["frame"]["function"]) == ("run-on", 1, "play")


@pytest.mark.parametrize(
    "results",
    [
        [ON] * 9,
        [ON, OVER, ON, ON, ON],  # it was taken back
        [(0, 0.5, [True, False], False, {})] * 9,  # of several agents
        [{"done": True}] * 9,
        [(0, 0.5, {"a": True}, {})] * 9,
    ],
)
def test_steps_that_are_not_after_an_end_are_not_counted(results: list[object]) -> None:
    assert Played(*results).play(len(results))[1:] == (0, 0)


def test_instance_that_begins_anew_by_itself_is_not_always_over() -> None:
    seen, passed, _ = Played(ON, OVER, ON, ON, OVER, OVER).play(6)
    assert (seen, passed) == (2, 1)


def test_reset_begins_another_episode() -> None:
    played = Played(*[ON, OVER] * 20)
    for number in range(1, 21):
        assert played.play(2) == (number, 0, 0)
        played.reset()


def test_episodes_that_are_not_looked_at_are_not_counted() -> None:
    played = Played(*[ON] * 20, OVER, *[ON] * 20, *[OVER] * 9)
    assert played.play(21) == (1, 0, 0)
    played.numbers[ROW + page.AT_BEGINNING] = 21  # as a reset() that is not looked at leaves it
    assert played.play(29) == (1, 0, 0)
    assert type(played.counted.rows[id(played)]) is int


def test_long_episode_is_given_up() -> None:
    assert Played(*[ON] * 5000, *[OVER] * 9).play(5009) == (0, 0, 0)
    assert Played(OVER, *[OVER] * 9000).play(9001)[2] < 2 * page.MOST_STEPS


def called(call: Callable[[Any], object], name: str, package: str) -> object:
    """The line that is taken for the caller, where a function of a package is between."""
    code = f"def {name}(call, env):\n    return call(env)\n"
    names: dict[str, Any] = {"__name__": f"{package}.core"}
    exec(compile(code, f"/usr/lib/python3/site-packages/{package}/core.py", "exec"), names)
    played = Played(OVER, OVER)
    played.play(1)
    names[name](call, played)
    return [told["frame"] for told in played.written]


def test_caller_is_known_behind_wrappers_of_the_library_only() -> None:
    def take(env: Played) -> None:
        env.counted(env, 0)

    (frame,) = called(take, "step", "library")  # type: ignore[misc]
    assert frame["function"] == "take"

    def step(env: Played) -> None:
        env.counted(env, 0)

    assert called(step, "step", "library") == []


def test_ends_of_older_interfaces_have_their_name() -> None:
    assert ends.endings((0, 0.5, True, {})) == 1 << page.ENDINGS.index("done")
    assert ends.endings((0, 0.5, True, True, {})) == 0b11


def unreset(*results: object) -> Played:
    """An instance that its script does not reset."""
    instance = Played(*results)
    instance.counted.rows[id(instance)] = ROW + page.STEP
    look_before_reset(instance, ROW, id(instance), instance.counted.rows)
    return instance


def test_steps_after_an_end_are_counted_without_any_reset() -> None:
    instance = unreset(*[ON] * 30, *[CUT] * 9)
    assert instance.play(39) == (1, 1, 8)
    assert [event["what"] for event in instance.written] == ["run-on"]


def test_instance_that_is_restarted_otherwise_is_left_out() -> None:
    assert unreset(ON, CUT, *[ON] * 5, CUT).play(8)[1:] == (0, 0)


def test_reset_ends_the_look_before_it() -> None:
    instance = unreset(ON, ON, ON)
    instance.play(1)
    instance.numbers[ROW + page.RESET] = 1
    instance.play(1)
    assert type(instance.counted.rows[id(instance)]) is int


def test_script_that_never_resets_is_named() -> None:
    words = ("--", sys.executable, "trn022_stepped_after_end.py", "Unreset")
    _, document = examine(*words, command="watch")
    (finding,) = document["findings"]
    assert finding["code"] == "TRN022"
    assert "in unreset calls step() of Begun" in finding["message"]
