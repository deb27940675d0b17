"""First episodes that are given up, as a watched process sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from envdoctor.model import page
from envdoctor.model.finding import Location
from envdoctor.model.training import Training
from envdoctor.model.training_ends import GivenUpEpisode
from envdoctor.model.training_events import announced
from envdoctor.model.training_instances import Instances
from envdoctor.probe.live import first_episodes
from envdoctor.probe.live.first_episodes import look_at_episode
from envdoctor.watch.pages import PageReport

ROW = 2 * page.WIDTH


class Counted:
    """An instance whose calls are counted."""

    name = "page"

    def __init__(self) -> None:
        self.numbers = [0] * (3 * page.WIDTH)
        self.numbers[ROW + page.INSTANCES] = 1
        self.events: list[dict[str, Any]] = []

    def tell(self, what: str, **keys: Any) -> None:
        self.events.append({"what": what, "pid": 1, "t": 0.0, **keys})

    def reset(self, seed: int | None = None) -> None:
        self.numbers[ROW + page.RESET] += 1
        look_at_episode(self, self.numbers, ROW, seed)

    def step(self, times: int = 1, ended: bool = False) -> None:
        self.numbers[ROW + page.STEP] += times
        if ended:
            self.numbers[ROW + page.END_AT] = self.numbers[ROW + page.STEP]

    @property
    def given_up(self) -> list[GivenUpEpisode]:
        report = PageReport()
        report.take(map(announced, self.events))
        return [*report.episodes.values()]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """One of which nothing is known."""
    monkeypatch.setattr(first_episodes, "_first", {})
    return Counted()


def look(counted: Counted) -> None:
    counted.reset()


def begin(counted: Counted) -> None:
    counted.reset()


LOOK, BEGIN = (each.__code__.co_firstlineno + 1 for each in (look, begin))


def test_episode_that_another_line_gives_up_has_both_lines(counted: Counted) -> None:
    look(counted)
    counted.step()
    begin(counted)
    counted.step()
    begin(counted)
    places = (Location(__file__, LOOK, "look"), Location(__file__, BEGIN, "begin"))
    assert counted.given_up == [GivenUpEpisode(1, *places)]


def through_a_method(counted: Counted) -> None:
    look(counted)
    counted.step()
    look(counted)


def test_callers_of_one_line_are_distinguished(counted: Counted) -> None:
    through_a_method(counted)
    (known,) = counted.given_up
    first = through_a_method.__code__.co_firstlineno
    assert (known.location.line, known.again.line) == (first + 1, first + 3)


def in_a_loop(counted: Counted) -> None:
    for _ in range(3):
        counted.reset()
        counted.step()


def without_a_step(counted: Counted) -> None:
    look(counted)
    begin(counted)


def after_an_end(counted: Counted) -> None:
    look(counted)
    counted.step(ended=True)
    begin(counted)


def after_many_steps(counted: Counted) -> None:
    look(counted)
    counted.step(9)
    begin(counted)


def with_a_seed(counted: Counted) -> None:
    look(counted)
    counted.step()
    counted.reset(seed=3)


def in_a_later_episode(counted: Counted) -> None:
    look(counted)
    counted.step(9, ended=True)
    begin(counted)
    counted.step()
    look(counted)


@pytest.mark.parametrize(
    "play",
    [
        in_a_loop,
        without_a_step,
        after_an_end,
        after_many_steps,
        with_a_seed,
        in_a_later_episode,
    ],
)
def test_others_are_not_given_up(counted: Counted, play: Callable[[Counted], None]) -> None:
    play(counted)
    assert counted.given_up == []


def test_recorded_training_has_it_as_it_was() -> None:
    episode = GivenUpEpisode(1, Location("/a.py", 3, "look"), Location("/a.py", 9, "main"))
    training = Training((), instances=(Instances(1, 1, "arm.Arm", given_up=episode),))
    assert Training.from_dict(training.as_dict()) == training
