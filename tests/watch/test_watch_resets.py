"""Calls of reset() right after another one, as a watched process sees them."""

from __future__ import annotations

import functools
import sysconfig
from collections.abc import Callable
from typing import Any

import pytest

from envdoctor.model import page
from envdoctor.probe.live.counted import ResetCalls, Rows, counted
from envdoctor.probe.live.resets import ENOUGH, look_again
from envdoctor.probe.ownership import Ownership

ROW, TIMES = 2 * page.WIDTH, 8


class Reset:
    """An instance whose calls of reset() and step() are counted."""

    def __init__(self) -> None:
        self.numbers = [0] * (3 * page.WIDTH)
        self.numbers[ROW + page.INSTANCES] = 1
        self.page, self.name = self, "page"
        self.events: list[dict[str, Any]] = []
        self.is_users = Ownership().is_users
        rows = Rows({id(self): ROW + page.RESET})
        again = functools.partial(look_again, self, self.numbers)
        calls = (lambda: None, lambda *_: None)
        around = ResetCalls(again=again)
        self.counted = counted(Reset.original, "reset", self.numbers, *calls, None, rows, around)

    def original(self, seed=None, options=None):
        return 0, {}

    def step(self) -> None:
        self.numbers[ROW + page.STEP + 1] += 1

    def tell(self, what: str, **keys: Any) -> None:
        self.events.append({"what": what, **keys})

    def follows(self, obj: object) -> bool:
        return isinstance(obj, Reset)

    @property
    def times(self) -> int:
        return self.numbers[ROW + page.IDLE]


def twice(reset: Reset) -> None:
    for _ in range(TIMES):
        reset.counted(reset)
        reset.step()
        reset.counted(reset)


def once(reset: Reset) -> None:
    for _ in range(TIMES):
        reset.counted(reset)
        reset.step()


def with_seeds(reset: Reset) -> None:
    for number in range(TIMES):
        reset.counted(reset)
        reset.counted(reset, seed=number)
        reset.step()


def for_options(reset: Reset) -> None:
    for number in range(TIMES):
        reset.counted(reset)
        reset.counted(reset, options={"level": number})
        reset.step()


def through_a_wrapper(reset_instance: Reset) -> None:
    def reset() -> None:
        reset_instance.counted(reset_instance)
        reset_instance.counted(reset_instance)

    for _ in range(TIMES):
        reset()
        reset_instance.step()


class Vectorizer:
    """Has an instance, and so many others beside it."""

    def __init__(self, first: Reset, others: int) -> None:
        self.workers = [first, *(Reset() for _ in range(others))]

    def reset(self) -> None:
        [worker.counted(worker) for worker in self.workers[:1]]

    def reset_all(self) -> None:
        self.reset()

    def step(self) -> None:
        self.workers[0].step()
        self.reset()


def of_a_vectorizer(reset: Reset, others: int = 1) -> None:
    vectorizer = Vectorizer(reset, others)
    for _ in range(TIMES):
        vectorizer.reset_all()
        vectorizer.step()


def test_line_that_asks_a_vectorizer_of_the_users_is_named() -> None:
    reset = Reset()
    of_a_vectorizer(reset)
    (event,) = reset.events
    assert (event["frame"]["function"], reset.times) == ("of_a_vectorizer", TIMES - 1)


def test_wrapper_of_the_users_is_left_out() -> None:
    reset = Reset()
    of_a_vectorizer(reset, others=0)
    assert (reset.events, reset.times) == ([], 0)


def test_reset_after_another_is_counted_with_its_line() -> None:
    reset = Reset()
    twice(reset)
    assert reset.times == TIMES - 1
    (event,) = reset.events
    assert (event["what"], event["row"], event["frame"]["function"]) == ("reset-again", 1, "twice")


def test_line_is_journaled_once_there_are_enough() -> None:
    reset = Reset()
    for _ in range(ENOUGH):
        reset.counted(reset)
    assert reset.events == []
    reset.counted(reset)
    assert len(reset.events) == 1


@pytest.mark.parametrize("play", [once, with_seeds, for_options, through_a_wrapper])
def test_reset_that_may_be_meant_is_not_counted(play: Callable[[Reset], None]) -> None:
    reset = Reset()
    play(reset)
    assert (reset.times, reset.events) == (0, [])


LIBRARY = """
def evaluate(reset):
    for _ in range(8):
        reset()

class VecEnv:
    def __init__(self, call):
        self.call = call

    def reset(self):
        return self.call()
"""


def library(name: str) -> Any:
    """What a library has under a name."""
    values: dict[str, Any] = {"__name__": "library"}
    file = sysconfig.get_path("purelib") + "/library/code.py"
    exec(compile(LIBRARY, file, "exec"), values)
    return values[name]


def test_library_that_resets_by_itself_is_not_blamed() -> None:
    reset = Reset()
    library("evaluate")(functools.partial(reset.counted, reset))
    assert reset.times == 0


def test_reset_of_a_vectorizer_is_that_of_its_caller() -> None:
    reset = Reset()
    vectorizer = library("VecEnv")(functools.partial(reset.counted, reset))
    for _ in range(TIMES):
        vectorizer.reset()
    assert reset.times == TIMES - 1


def test_row_of_several_instances_is_not_counted() -> None:
    reset = Reset()
    reset.numbers[ROW + page.INSTANCES] = 2
    twice(reset)
    assert reset.times == 0
