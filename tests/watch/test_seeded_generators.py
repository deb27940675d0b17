"""Generators of numpy's that a script makes of its seed: numpy stays what it is to others."""

from __future__ import annotations

import copyreg
import importlib
import inspect
import json
import pickle
from collections.abc import Iterator

import numpy as np
import pytest

from envdoctor.model.training_events import announced
from envdoctor.probe.live import seeded_generators
from envdoctor.watch.pages import PageReport

SEED = 5


class Hook:
    """Keeps what is journaled."""

    def __init__(self) -> None:
        self.events: list[dict[str, object]] = []

    def write(self, line: bytes) -> None:
        self.events.append(json.loads(line))

    load = staticmethod(importlib.import_module)

    def complain(self, why: str) -> None:
        raise AssertionError(why)

    def lines(self) -> list[int]:
        """The lines of this file that made one."""
        report = PageReport()
        report.take(announced({**each, "pid": 7, "t": 0.0}) for each in self.events)
        assert all(place.file == __file__ for place in report.own_seeds.values())
        return [place.line for place in report.own_seeds.values()]


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    """The hook of a process in which numpy.random is followed."""
    monkeypatch.setattr(np.random, "default_rng", np.random.default_rng)
    hook = Hook()
    seeded_generators.take(hook, np.random)  # type: ignore[arg-type]
    return hook


def test_first_line_that_makes_one_of_a_seed_is_journaled_once(hook: Hook) -> None:
    line = inspect.currentframe().f_lineno  # type: ignore[union-attr]
    for seed in (1, 2, 3):
        np.random.default_rng(seed).random()
    np.random.default_rng(SEED)
    assert hook.lines() == [line + 2]
    assert len(hook.events) == 1


def test_seed_by_name_is_noticed(hook: Hook) -> None:
    np.random.default_rng(seed=SEED)
    assert len(hook.lines()) == 1


def test_constant_that_is_not_called_so_is_left_out(hook: Hook) -> None:
    for number in range(2):
        np.random.default_rng(number)
    assert hook.lines() == []


def test_generator_of_the_operating_system_is_left_out(hook: Hook) -> None:
    seeds = None
    np.random.default_rng(seeds)
    np.random.default_rng(np.random.SeedSequence(SEED))
    assert hook.lines() == []


class Noise:
    """Has a generator of its own, as an environment may."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def reset(self, seed: int) -> None:
        self.rng = _make(seed)


def _make(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_generators_of_methods_that_environments_have_are_left_out(hook: Hook) -> None:
    Noise(SEED).reset(SEED)
    assert hook.lines() == []
    _make(SEED)
    assert len(hook.lines()) == 1


def test_function_of_numpy_gives_the_same_and_is_pickled_by_its_name(hook: Hook) -> None:
    made = np.random.default_rng(SEED).integers(1000, size=4).tolist()
    original = np.random.default_rng.__wrapped__  # type: ignore[attr-defined]
    assert made == original(SEED).integers(1000, size=4).tolist()
    assert pickle.loads(pickle.dumps(np.random.default_rng)) is np.random.default_rng
    assert np.random.default_rng.__name__ == original.__name__
    assert copyreg.dispatch_table.get(type(np.random.default_rng)) is None
    with pytest.raises(TypeError):
        np.random.default_rng("five seeds")
