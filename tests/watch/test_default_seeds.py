"""Defaults that seed what reset() draws from, and that a script leaves out."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from envdoctor.analysis.default_seeds import leaves_out, line_that_seeds
from envdoctor.model.finding import Location
from envdoctor.model.page import WIDTH
from envdoctor.model.training_draws import DefaultSeed
from envdoctor.model.training_events import announced
from envdoctor.probe.live import default_seeds
from envdoctor.probe.live.default_seeds import generators_before, look_at_default, look_at_reset
from envdoctor.watch.pages import PageReport


def _new(cls: type, *unnamed: Any, **named: Any) -> Any:
    instance = object.__new__(cls)
    look_at_default(instance, unnamed, named)
    return instance


class Base:
    """Is looked at when it is made, as an environment of a framework is, by code of the probe."""

    __new__ = types.FunctionType(
        _new.__code__, {**globals(), "__name__": "envdoctor.probe.live.instances"}
    )


class Game(Base):
    """One generator."""

    def __init__(self, number: int = 3, seed: int = 42) -> None:
        self.generator = np.random.default_rng(seed)

    def reset(self) -> None:
        self.generator.random()


class Pool(Base):
    """A generator for each game."""

    def __init__(self, number: int, seed: int) -> None:
        self.generators = [np.random.default_rng(seed + each) for each in range(number)]

    def reset(self) -> None:
        for each in self.generators:
            each.random()


class Fixed(Game):
    """Its board is drawn once, when it is made."""

    def __init__(self, *, board_seed: int = 42) -> None:
        super().__init__(seed=board_seed)
        self.board = self.generator.random(9)

    def reset(self) -> None:
        return None


class Unseeded(Game):
    """Its default is the operating system's."""

    def __init__(self, seed: int | None = None) -> None:
        self.generator = np.random.default_rng(seed)


class Other(Game):
    """Its generator is made of something else."""

    def __init__(self, seed: int = 42) -> None:
        self.generator = np.random.default_rng(7)


def make_pool(number: int = 3, seed: int = 42) -> Pool:
    return Pool(number, seed)


def journaled(monkeypatch: pytest.MonkeyPatch, make: Callable[[], Any]) -> list[DefaultSeed]:
    """The defaults of an instance that is reset twice."""
    monkeypatch.setattr(default_seeds, "_defaults", {})
    events: list[dict[str, Any]] = []

    class Watched:
        name = "page"

        def tell(self, what: str, **keys: Any) -> None:
            events.append({"what": what, "pid": 1, "t": 0.0, **keys})

    instance = make()
    for _ in range(2):
        states = generators_before(instance)
        instance.reset()
        look_at_reset(Watched(), 2 * WIDTH, instance, states)
    report = PageReport()
    report.take(map(announced, events))
    assert len(events) <= 1
    return [*report.default_seeds.values()]


def made_without() -> Game:
    return Game()


def made_by_function() -> Pool:
    return make_pool(number=2)


def line_of(function: Callable[[], object]) -> int:
    return function.__code__.co_firstlineno + 1


def test_default_of_a_constructor_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    (known,) = journaled(monkeypatch, made_without)
    assert (known.name, known.value, known.owner) == ("seed", 42, "Game")
    assert known.location == Location(__file__, line_of(made_without), "made_without")
    assert known.made_at == Location(__file__, Game.__init__.__code__.co_firstlineno + 1)


def test_default_of_a_function_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    (known,) = journaled(monkeypatch, made_by_function)
    assert (known.owner, known.defined.line) == ("make_pool", line_of(make_pool) - 1)  # type: ignore[arg-type]
    assert known.location == Location(__file__, line_of(made_by_function), "made_by_function")


@pytest.mark.parametrize(
    "make",
    [
        lambda: Game(seed=42),
        lambda: Game(3, 42),
        lambda: make_pool(seed=42),
        lambda: make_pool(3, 42),
        lambda: make_pool(*(3, 42)),
        Fixed,
        Unseeded,
        Other,
        lambda: Pool(3, 42),
    ],
)
def test_others_are_not(monkeypatch: pytest.MonkeyPatch, make: Callable[[], Any]) -> None:
    assert journaled(monkeypatch, make) == []


@pytest.mark.parametrize(
    ("call", "is_left_out"),
    [
        ("make(3)", True),
        ("pools.make(3, name='a')", True),
        ("make(3, 42)", False),
        ("make(seed=args.seed)", False),
        ("make(**options)", False),
        ("make(*given)", False),
        ("other(3)", False),
    ],
)
def test_source_shows_whether_a_call_leaves_a_parameter_out(call: str, is_left_out: bool) -> None:
    assert leaves_out(f"\nenv = {call}\n", 2, "make", "seed", 1) == is_left_out
    assert not leaves_out(f"\nenv = {call}\n", 1, "make", "seed", 1)


def test_line_that_seeds_is_the_first_of_its_class() -> None:
    text = "class A:\n    x = 1\nclass B:\n    g = np.random.default_rng(1)\n    h = PCG64(2)\n"
    assert line_that_seeds(text, "B") == 4
    assert line_that_seeds(text, "A") is None
    assert line_that_seeds("class (", "A") is None
