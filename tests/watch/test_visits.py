"""Episodes that another function plays to an end, as a watched process sees them."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from envdoctor.model import page
from envdoctor.model.finding import Location
from envdoctor.model.training_ends import PlayedOn
from envdoctor.model.training_events import announced
from envdoctor.probe.live import visited
from envdoctor.probe.live.visited import ENOUGH, look_at_visit
from envdoctor.watch.pages import PageReport
from tests.support.zoo import examine
from tests.watch.test_watch_ends import ON, OVER, ROW, Played


class Arm(Played):
    """An environment whose episodes have 3 steps; one that is `lasting` says so again after that."""

    def __init__(self, lasting: bool = True) -> None:
        self.lasting, self.number = lasting, 0
        super().__init__()
        self.__class__ = type("Counted", (Arm,), {"step": self.counted})

    def move(self):
        self.number += 1
        return OVER if self.number == 3 or (self.lasting and self.number > 3) else ON

    def reset(self) -> None:
        self.number = 0
        look_at_visit(self, self.numbers, ROW, self)

    def is_users(self, file: str) -> bool:
        return file == __file__

    @property
    def played_on(self) -> list[PlayedOn]:
        report = PageReport()
        report.take(announced({"pid": 1, "t": 0.0, **event}) for event in self.written)
        return [each for each in report.played_on.values() if each.times]


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visited, "_visited", {})
    monkeypatch.setattr(Played, "step", lambda self, action: self.move())


def evaluate(arm: Arm) -> None:
    for _ in range(2):
        arm.reset()
        while not arm.counted(arm, 0)[2]:
            pass


def begin(arm: Arm) -> None:
    arm.reset()
    arm.counted(arm, 0)


def train(arm: Arm, visit: Callable[[Arm], None], times: int = 20, anew: bool = False) -> None:
    arm.reset()
    for _ in range(times):
        arm.counted(arm, 0)
        visit(arm)
        if anew:
            arm.reset()
        if arm.counted(arm, 0)[2]:
            arm.reset()


def apart(arm: Arm, times: int = 20) -> None:
    for _ in range(times):
        evaluate(arm)
        begin(arm)


def test_evaluation_in_the_environment_of_the_training_has_both_lines() -> None:
    arm = Arm()
    train(arm, evaluate)
    code, into = train.__code__.co_firstlineno, evaluate.__code__.co_firstlineno + 2
    place, begun = Location(__file__, code + 7, "train"), Location(__file__, into, "evaluate")
    assert arm.played_on == [PlayedOn(ENOUGH, place, begun)]


@pytest.mark.parametrize(
    "play",
    [
        lambda arm: train(arm, evaluate, times=ENOUGH - 1),
        lambda arm: train(arm, evaluate, anew=True),
        lambda arm: train(arm, begin),  # what is begun there goes on here
        lambda arm: train(arm, lambda arm: None),
        apart,
    ],
)
def test_episodes_that_are_not_played_on_are_not_reported(play: Callable[[Arm], None]) -> None:
    arm = Arm()
    play(arm)
    assert arm.played_on == []


def test_environment_that_begins_anew_by_itself_is_not_reported() -> None:
    arm = Arm(lasting=False)
    train(arm, evaluate)
    assert arm.played_on == []


def test_planner_that_puts_it_back_later_is_not_reported() -> None:
    arm = Arm()
    train(arm, evaluate, times=ENOUGH)
    assert arm.played_on
    arm.lasting = False
    train(arm, evaluate, times=2)
    assert arm.played_on == []


def test_steps_are_counted_by_an_integer_again_after_a_visit() -> None:
    arm = Arm()
    train(arm, evaluate)
    for _ in range(5):
        arm.counted(arm, 0)
    assert arm.counted.rows[id(arm)] == ROW + page.STEP
    assert type(arm.counted.rows[id(arm)]) is int


def test_script_that_evaluates_in_the_environment_of_its_training_is_named() -> None:
    words = ("--", sys.executable, "trn022_stepped_after_end.py", "Visited")
    _, document = examine(*words, command="watch")
    (message,) = [each["message"] for each in document["findings"] if each["code"] == "TRN022"]
    assert "in train goes on with step() of Fall" in message
    assert "after assess() has reset it" in message
