"""Draws of constructors from the generators of a forked worker."""

from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training import Training
from envdoctor.model.training_draws import ConstructorDraw
from envdoctor.model.training_events import announced
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.probe.live import constructed
from envdoctor.probe.live.constructed import MOST, has_drawn, look_at_constructor
from envdoctor.probe.live.counted import Rows, counted
from envdoctor.rules.evidence.beginnings import constructed_alike
from envdoctor.watch.pages import PageReport


def words(draws: int, seed: int = 3) -> tuple[int, ...]:
    """The state of a generator after some draws."""
    generator = random.Random(seed)
    for _ in range(draws):
        generator.getrandbits(32)
    return generator.getstate()[1]


def words_of_numpy(draws: int) -> tuple[int, ...]:
    generator = np.random.RandomState(3)
    if draws:
        generator.bytes(4 * draws)
    _, key, place, *_ = generator.get_state()
    return (*map(int, key), int(place))


@pytest.mark.parametrize("state", [words, words_of_numpy])
@pytest.mark.parametrize(("before", "after"), [(0, 1), (5, 9), (5, 700), (600, 625), (0, 30_000)])
def test_later_state_is_drawn(state: Any, before: int, after: int) -> None:
    assert has_drawn(state(before), state(after))
    assert not has_drawn(state(after), state(before))


def test_state_that_a_seed_made_is_not_drawn() -> None:
    assert not has_drawn(words(5), words(9, seed=4))
    assert not has_drawn(words(5), words(0, seed=4))
    assert not has_drawn(words(5), words(5))
    assert not has_drawn(words(5), None)
    assert not has_drawn(words(5), words(50_000))  # too far to be followed


class Maze:
    """Draws its goal when it is made."""

    def __init__(self, draws: int = 1, seed: int | None = None) -> None:
        if seed is not None:
            np.random.seed(seed)  # noqa: NPY002
        self.goal = [np.random.uniform() for _ in range(draws)]  # noqa: NPY002
        if draws > 8:
            raise ValueError(draws)


GOAL = Maze.__init__.__code__.co_firstlineno + 3


def drawn(
    monkeypatch: pytest.MonkeyPatch, started: str = "fork", times: int = 1, **given: Any
) -> list[ConstructorDraw]:
    """The draws of a constructor that are journaled."""
    monkeypatch.setattr(constructed, "_looked", {})
    monkeypatch.setattr(Maze, "__init__", Maze.__init__)
    events: list[dict[str, Any]] = []

    def tell(what: str, **keys: Any) -> None:
        events.append({"what": what, "pid": 1, "t": 0.0, **keys})

    numbers, rows = [0] * 400, Rows()
    calls = (lambda: None, lambda *_: None)
    method = counted(Maze.__init__, "make", numbers, *calls, None, rows)
    hook = SimpleNamespace(started=started)
    instances = SimpleNamespace(hook=hook, name="page", tell=tell)
    for _ in range(times):
        maze = Maze.__new__(Maze)
        look_at_constructor(instances, 96, id(maze), {"make": method})
        try:
            method(maze, **given)
        except ValueError:
            assert rows[id(maze)] == 104
        if started == "fork" and times == 1:
            assert type(rows[id(maze)]) is int
    report = PageReport()
    report.take(map(announced, events))
    return [each for draws in report.constructed.values() for each in draws]


def test_constructor_that_draws_is_journaled_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    (known,) = drawn(monkeypatch)
    assert known.source == "numpy.random"
    assert known.location is not None
    assert (known.location.file, known.location.line) == (__file__, GOAL)


@pytest.mark.parametrize("given", [{"draws": 0}, {"seed": 7}, {"draws": 9}, {"started": "exec"}])
def test_others_are_not(monkeypatch: pytest.MonkeyPatch, given: dict[str, Any]) -> None:
    assert drawn(monkeypatch, **given) == []


def test_first_constructors_of_a_process_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    known = drawn(monkeypatch, times=MOST + 2)
    assert len(known) == MOST
    assert len({each.state for each in known}) == MOST


DRAW = ConstructorDraw("numpy.random", 5, Location("/maze.py", 14, "Maze.__init__"))
CALLS = {"make": Calls(1, 1), "reset": Calls(1, 1), "step": Calls(9, 9)}
FIRST = Instances(8, 1, "maze.Maze", Location("/p.py", 9), seed=8, constructed=(DRAW,), **CALLS)
SECOND = replace(FIRST, pid=9, seed=9)


def test_equal_draws_of_workers_are_one_group() -> None:
    second_of_a_worker = replace(FIRST, row=2, seed=10, constructed=(replace(DRAW, state=6),))
    training = Training((), 7, instances=(FIRST, second_of_a_worker, SECOND))
    assert list(constructed_alike(training)) == [(DRAW, [FIRST, second_of_a_worker, SECOND])]
    assert Training.from_dict(training.as_dict()) == training


@pytest.mark.parametrize(
    "instances",
    [
        (FIRST,),
        (FIRST, replace(SECOND, pid=8, row=2)),  # one worker
        (FIRST, replace(SECOND, constructed=(replace(DRAW, state=6),))),
        (FIRST, replace(SECOND, constructed=())),
        (FIRST, replace(SECOND, seed=8)),
        (FIRST, replace(SECOND, seed=None)),
        (FIRST, replace(SECOND, pid=7)),  # the trainer
        (FIRST, replace(SECOND, step=Calls())),  # made for its spaces
    ],
)
def test_other_draws_are_not(instances: tuple[Instances, ...]) -> None:
    assert list(constructed_alike(Training((), 7, instances=instances))) == []
