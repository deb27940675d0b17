"""Lines of a class that draw from the random generators of the process."""

from __future__ import annotations

import random
import types
from collections.abc import Callable, Iterator
from random import gauss
from typing import Any

import numpy as np
import pytest
from numpy.random import uniform

from envdoctor.model import page
from envdoctor.model.facts.decoding import decoded
from envdoctor.model.finding import Location
from envdoctor.model.page import NUMPY, PYTHON
from envdoctor.model.training_draws import Draw
from envdoctor.model.training_events import announced
from envdoctor.model.training_instances import Instances
from envdoctor.probe.live import draws as module
from envdoctor.probe.live.counted import Rows, counted
from envdoctor.probe.live.draws import drawing_lines, look_at_draws
from envdoctor.watch.pages import Counts, PageReport, instances


def lines_of(kind: type, source: int) -> list[int]:
    """The lines of a class that draw, counted from that of its first method."""
    first = min(
        value.__code__.co_firstlineno
        for value in vars(kind).values()
        if isinstance(value, types.FunctionType)
    )
    return [line - first for _, line, _ in drawing_lines(kind, source)]


class Attribute:
    def reset(self) -> Any:
        seed = 3
        return np.random.uniform(0, seed)  # noqa: NPY002


class Imported:
    def reset(self) -> Any:
        return uniform(), gauss(0, 1)  # noqa: NPY002


class Inner:
    def reset(self) -> Any:
        def noise() -> Any:
            return np.random.normal()  # noqa: NPY002

        return [noise(), *(random.random() for _ in range(2))]


class Reached:
    def render(self) -> Any:
        return random.random()

    def reset(self) -> Any:
        return self.goal()

    def goal(self) -> Any:
        return list(map(self.noise, range(2)))

    def noise(self, _: int) -> Any:
        return random.random()


class Below(Attribute):
    def step(self) -> Any:
        return random.choice([1, 2])


class Own:
    """One that draws from its own, and seeds those of the process."""

    def __init__(self, random: Any) -> None:
        self.random = random

    def reset(self, seed: int) -> Any:
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        state = random.getstate(), np.random.get_state()  # noqa: NPY002
        return self.random.random(), np.random.default_rng(seed).random(), state


class Strange:
    """One whose attributes answer to anything, and fail."""

    class Answer:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

    answer = Answer()

    def reset(self) -> Any:
        return self.answer


@pytest.mark.parametrize(
    ("kind", "numpys", "pythons"),
    [
        (Attribute, [2], []),
        (Imported, [1], [1]),
        (Inner, [2], [4]),
        (Own, [], []),
        (Reached, [], [10]),
        (Strange, [], []),
    ],
)
def test_lines_that_draw_are_found(kind: type, numpys: list[int], pythons: list[int]) -> None:
    assert lines_of(kind, NUMPY) == numpys
    assert lines_of(kind, PYTHON) == pythons


def test_lines_of_base_classes_are_found() -> None:
    assert [name for _, _, name in drawing_lines(Below, NUMPY)] == ["Attribute.reset"]
    assert [name for _, _, name in drawing_lines(Below, PYTHON)] == ["Below.step"]


class Watched:
    """Instances of a process that journal into a list."""

    name = "7.page"

    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []

    def tell(self, what: str, **keys: Any) -> None:
        self.written.append({"what": what, **keys})


@pytest.fixture
def watched() -> Iterator[Watched]:
    module._journaled.clear()
    yield Watched()
    module._journaled.clear()


def test_lines_are_journaled_once_where_a_generator_went_on(watched: Watched) -> None:
    numbers, start = [0] * (3 * page.WIDTH), page.WIDTH * page.FIRST
    look_at_draws(watched, numbers, start, Inner())
    assert watched.written == []
    numbers[start + page.MOVED] = 1 << NUMPY
    look_at_draws(watched, numbers, start, Inner())
    look_at_draws(watched, numbers, start, Inner())
    (told,) = watched.written
    (place,) = drawing_lines(Inner, NUMPY)
    frame = dict(zip(("file", "line", "function"), place, strict=True))
    assert told == {
        "what": "draws",
        "page": "7.page",
        "row": 1,
        "message": "numpy.random",
        "frame": frame,
    }
    report = PageReport()
    report.take([announced({"t": 0.0, "pid": 7, **told})])
    counts = Counts("7.page", 7, 1, 0, {1: tuple([0] * page.WIDTH)})
    (instance,) = instances(counts, report)
    assert instance.draws == (Draw("numpy.random", Location(*place)),)


def test_counted_method_is_looked_into() -> None:
    class Counted(Attribute):
        def reset(self) -> Any:
            return np.random.random()  # noqa: NPY002

    method: Callable[..., Any] = Counted.reset
    numbers = [0] * 64
    wrapper = counted(method, "step", numbers, lambda *_: None, lambda *_: None, None, Rows(), None)
    type.__setattr__(Counted, "reset", wrapper)
    assert len(list(drawing_lines(Counted, NUMPY))) == 2


def test_draw_of_a_saved_run() -> None:
    location = {"file": "/arm.py", "line": 3, "function": "reset"}
    assert decoded(Draw, {"source": "random", "location": location}) == Draw(
        "random", Location(**location)
    )
    assert Instances(1, 1, "arm.Arm").draws == ()
