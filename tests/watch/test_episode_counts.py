"""Counts in infos at the ends of episodes: those that go on after some ends only."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from envdoctor.model.training_events import announced
from envdoctor.model.training_returned import CountGoesOn
from envdoctor.probe.live.counted import is_counted
from envdoctor.probe.live.episode_counts import ENDS, LEAST, OBJECTS, EpisodeCounts
from envdoctor.watch.pages import PageReport

LENGTH = 5
Ends = Callable[[int], tuple[bool, bool]]
Count = Callable[[int, bool, bool], int]


def by_turns(episode: int) -> tuple[bool, bool]:
    """The end of an episode, terminated or truncated."""
    return episode % 3 == 0, episode % 3 != 0


def truncated(episode: int) -> tuple[bool, bool]:
    return False, True


def after_terminated(number: int, terminated: bool, truncated: bool) -> int:
    """A count after an end."""
    return 0 if terminated else number


def after_both(number: int, terminated: bool, truncated: bool) -> int:
    return 0 if terminated or truncated else number


def after_truncated(number: int, terminated: bool, truncated: bool) -> int:
    return 0 if truncated else number


def never(number: int, terminated: bool, truncated: bool) -> int:
    return number


class Single:
    """One instance, and Gymnasium's interface."""

    def __init__(self, ends: Ends, after: Count) -> None:
        self.ends, self.after = ends, after
        self.steps = self.count = self.episode = 0

    def result(self) -> tuple[dict[str, int], bool, bool]:
        self.steps, self.count = self.steps + 1, self.count + 1
        info = {"l": self.count}
        if self.steps < LENGTH:
            return info, False, False
        how = self.ends(self.episode)
        self.count = self.after(self.count, *how)
        self.steps, self.episode = 0, self.episode + 1
        return info, *how

    def step(self, action: int) -> tuple[Any, ...]:
        info, *how = self.result()
        return 0.0, 1.0, *how, {"l": info["l"]}


class OfConvention(Single):
    def step(self, action: int) -> tuple[Any, ...]:
        info, *how = self.result()
        statistics = {"episode": {"r": 1.0, "l": np.int32(info["l"])}} if any(how) else {}
        return 0.0, 1.0, *how, statistics


class Older(Single):
    """The interface of gym before 0.26."""

    def step(self, action: int) -> tuple[Any, ...]:
        info, terminated, cut = self.result()
        return 0.0, 1.0, terminated or cut, {"TimeLimit.truncated": cut, "l": info["l"]}


class Batch(Single):
    """Several instances, whose infos are arrays."""

    def step(self, action: int) -> tuple[Any, ...]:
        info, *how = self.result()
        return 0.0, 1.0, *(np.full(2, each) for each in how), {"l": np.full(2, info["l"])}


class Listed(Single):
    """Several instances, whose infos are a list."""

    def step(self, action: int) -> tuple[Any, ...]:
        info, terminated, cut = self.result()
        infos = [{"TimeLimit.truncated": cut, "l": info["l"]} for _ in range(2)]
        return 0.0, 1.0, np.full(2, terminated or cut), infos


class Silent(Single):
    def step(self, action: int) -> tuple[Any, ...]:
        _, *how = self.result()
        return 0.0, 1.0, *how, {}


@pytest.fixture
def events() -> Iterator[list[dict[str, Any]]]:
    kinds = (Single, OfConvention, Older, Batch, Listed, Silent)
    methods = [vars(kind)["step"] for kind in kinds]
    yield []
    for kind, method in zip(kinds, methods, strict=True):
        kind.step = method  # type: ignore[method-assign]


def test_objects_that_are_gone_make_room(events: list[dict[str, Any]]) -> None:
    def tell(what: str, **keys: Any) -> None:
        events.append({"what": what, **keys})

    counts = EpisodeCounts(tell, pytest.fail)
    counts._follow(Single, Single.step.__code__)
    for _ in range(OBJECTS + 1):
        Single(by_turns, after_both).step(0)
    layer = Single(by_turns, after_terminated)
    for _ in range(LENGTH * (LEAST + 4)):
        layer.step(0)
    assert [each["message"] for each in events] == ["l"]


def known(
    events: list[dict[str, Any]],
    kind: type[Single],
    ends: Ends = by_turns,
    after: Count = after_terminated,
    steps: int = LENGTH * (LEAST + 4),
) -> list[CountGoesOn]:
    """What is journaled of the steps of a layer around an instance."""

    def tell(what: str, **keys: Any) -> None:
        events.append({"what": what, "pid": 1, "t": 0.0, **keys})

    counts = EpisodeCounts(tell, pytest.fail)
    layer = kind(ends, after)

    counts._follow(kind, kind.step.__code__)
    for _ in range(steps):
        layer.step(0)
    report = PageReport()
    report.take(map(announced, events))
    return report.kept_counts


@pytest.mark.parametrize("kind", [Single, OfConvention, Older, Batch, Listed])
def test_count_that_goes_on_after_time_limits(
    events: list[dict[str, Any]], kind: type[Single]
) -> None:
    (count,) = known(events, kind)
    assert count.key in ("l", "episode.l")
    assert count.on > count.anew > 1
    assert count.defined.function == "step"


def test_no_end_begins_anew(events: list[dict[str, Any]]) -> None:
    """The rule decides by the key and the code."""
    (count,) = known(events, Single, truncated)
    assert (count.anew, count.on > 1) == (0, True)


@pytest.mark.parametrize("after", [after_both, after_truncated])
@pytest.mark.parametrize("kind", [Single, OfConvention, Older, Batch, Listed])
def test_healthy_counts(events: list[dict[str, Any]], kind: type[Single], after: Count) -> None:
    assert known(events, kind, after=after) == []


def test_count_of_all_episodes(events: list[dict[str, Any]]) -> None:
    assert known(events, Single, after=never) == []


def test_too_few_ends(events: list[dict[str, Any]]) -> None:
    assert known(events, Single, steps=LENGTH * (LEAST - 1)) == []


@pytest.mark.parametrize("kind", [Single, Silent])
def test_step_is_given_back(events: list[dict[str, Any]], kind: type[Single]) -> None:
    """Where nothing is to be seen any more, and what was seen is not held."""
    original = kind.step
    known(events, kind, steps=LENGTH * (ENDS + 2))
    assert kind.step is original
    gc.collect()
    assert not is_counted(kind.step)


def test_layers_of_the_users_are_followed(events: list[dict[str, Any]]) -> None:
    """By the frames around a step() of an instance, those without texts left out."""
    counts = EpisodeCounts(events.append, pytest.fail)

    class Outer(Single):
        def step(self, action: int) -> tuple[Any, ...]:
            counts.follow(object(), sys._getframe())
            return 0.0, 1.0, False, False, {"l": 1}

    class Plain(Single):
        def step(self, action: int) -> tuple[Any, ...]:
            counts.follow(object(), sys._getframe())
            return 0.0, 1.0, False, False, {}

    for kind in (Outer, Plain):
        kind(by_turns, never).step(0)
    assert is_counted(Outer.step)
    assert not is_counted(Plain.step)
