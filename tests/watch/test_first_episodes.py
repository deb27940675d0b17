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


class Played:
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
def played(monkeypatch: pytest.MonkeyPatch) -> Played:
    """One of which nothing is known."""
    monkeypatch.setattr(first_episodes, "_first", {})
    return Played()


def look(played: Played) -> None:
    played.reset()


def begin(played: Played) -> None:
    played.reset()


LOOK, BEGIN = (each.__code__.co_firstlineno + 1 for each in (look, begin))


def test_episode_that_another_line_gives_up_has_both_lines(played: Played) -> None:
    look(played)
    played.step()
    begin(played)
    played.step()
    begin(played)
    places = (Location(__file__, LOOK, "look"), Location(__file__, BEGIN, "begin"))
    assert played.given_up == [GivenUpEpisode(1, *places)]


def through_one_method(played: Played) -> None:
    look(played)
    played.step()
    look(played)


def test_callers_of_one_line_are_told_apart(played: Played) -> None:
    through_one_method(played)
    (known,) = played.given_up
    first = through_one_method.__code__.co_firstlineno
    assert (known.location.line, known.again.line) == (first + 1, first + 3)


def in_a_loop(played: Played) -> None:
    for _ in range(3):
        played.reset()
        played.step()


def without_a_step(played: Played) -> None:
    look(played)
    begin(played)


def after_an_end(played: Played) -> None:
    look(played)
    played.step(ended=True)
    begin(played)


def after_many_steps(played: Played) -> None:
    look(played)
    played.step(9)
    begin(played)


def with_a_seed(played: Played) -> None:
    look(played)
    played.step()
    played.reset(seed=3)


def in_a_later_episode(played: Played) -> None:
    look(played)
    played.step(9, ended=True)
    begin(played)
    played.step()
    look(played)


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
def test_others_are_not_given_up(played: Played, play: Callable[[Played], None]) -> None:
    play(played)
    assert played.given_up == []


def test_recorded_training_has_it_as_it_was() -> None:
    episode = GivenUpEpisode(1, Location("/a.py", 3, "look"), Location("/a.py", 9, "main"))
    training = Training((), instances=(Instances(1, 1, "arm.Arm", given_up=episode),))
    assert Training.from_dict(training.as_dict()) == training
