"""Arrays that step() returns: those that later steps write over, and one that is two values."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training import Training
from envdoctor.model.training_events import announced
from envdoctor.model.training_returned import AliasedArray, Overwritten
from envdoctor.probe.live.counted import is_counted
from envdoctor.probe.live.returned import LEAST, STEPS, WatchedResults
from envdoctor.watch.pages import PageReport
from envdoctor.watch.script_lines import with_names

PLACE = ("/train.py", 31, "collect")


class Vectorizer:
    """Its step() returns what a function makes of the number of the step."""

    def __init__(self, observe: Callable[[int], object]) -> None:
        self.observe, self.steps = observe, 0

    def step(self, action):
        self.steps += 1
        return self.observe(self.steps), 1.0, False, {}

    def follows(self, obj: object) -> bool:
        return obj is self

    def wraps(self, kind: type) -> bool:
        return False


def journaled(
    observe: Callable[[int], object],
    keep: Callable[[Any], object] = list,
    steps: int = 40,
) -> PageReport:
    """The report on some steps of a vectorizer whose observations are kept."""
    events: list[dict[str, Any]] = []

    def tell(what: str, **keys: Any) -> None:
        events.append({"what": what, "pid": 1, "t": 0.0, **keys})

    vectorizer = Vectorizer(observe)
    results = WatchedResults(lambda: PLACE, tell, pytest.fail)

    def observations() -> Iterable[object]:
        for _ in range(steps):
            returned = vectorizer.step(0)
            results.look(vectorizer, vectorizer, returned, sys._getframe())
            yield returned[0]

    keep(observations())
    report = PageReport()
    report.take(map(announced, events))
    return report


def overwriting(array: np.ndarray) -> Callable[[int], object]:
    """Observations that are one array, written each time."""

    def observe(step: int) -> object:
        array[:] = step
        return array

    return observe


def overwriting_from(first: int) -> Callable[[int], object]:
    """Observations that are one array from a step on, as those of a buffer that is full."""
    array = np.zeros(3)

    def observe(step: int) -> object:
        array[:] = step
        return array if step > first else array.copy()

    return observe


@pytest.mark.parametrize(("first", "is_looked_at"), [(60, True), (1000, True), (1050, False)])
def test_array_is_looked_at_again_once_a_buffer_may_be_full(first: int, is_looked_at: bool) -> None:
    assert bool(journaled(overwriting_from(first), steps=1200).overwritten) is is_looked_at


NOTHING, MEMORY, ROWS = np.zeros(3), np.zeros(4), np.arange(150.0).reshape(50, 3)


def views(step: int) -> object:
    MEMORY[:] = step
    return {"low": MEMORY[:2], "high": MEMORY[2:]}


def of_objects(step: int) -> object:
    """As np.stack() makes of dicts."""
    made = np.empty(1, object)
    made[0] = views(step)
    return made


@pytest.mark.parametrize("observe", [overwriting(np.zeros(3)), views, of_objects])
def test_observations_that_are_kept_and_written_over_are_counted(
    observe: Callable[[int], object],
) -> None:
    (known,) = journaled(observe).overwritten
    assert known == Overwritten(1, f"{__name__}.Vectorizer", STEPS - 1, Location(*PLACE))


@pytest.mark.parametrize(
    ("observe", "keep"),
    [
        (lambda step: np.full(3, step), list),  # a new one each time
        (lambda _: NOTHING, list),  # never written
        (lambda step: ROWS[step], list),
        (lambda step: ROWS[step] + 0, list),
        (overwriting(np.zeros(3)), lambda all_of_them: [each.copy() for each in all_of_them]),
        (overwriting(np.zeros(3)), lambda all_of_them: deque(all_of_them, maxlen=LEAST - 1)),
        (overwriting(np.zeros(3)), sum),
        (overwriting(np.zeros(1 << 18)), list),  # too large to be looked at
        (lambda step: step, list),
        (lambda step: [], list),
    ],
)
def test_others_are_not(observe: Callable[[int], object], keep: Callable[[Any], object]) -> None:
    assert journaled(observe, keep).overwritten == []


def test_buffer_that_fills_later_is_seen_at_a_later_look() -> None:
    def keep(observations: Iterable[np.ndarray]) -> object:
        return [each if at > 60 else each.copy() for at, each in enumerate(observations)]

    assert journaled(overwriting(np.zeros(3)), keep, steps=50).overwritten == []
    assert journaled(overwriting(np.zeros(3)), keep, steps=90).overwritten


def test_few_steps_say_nothing() -> None:
    assert journaled(overwriting(np.zeros(3)), steps=STEPS - 1).overwritten == []


class Outer:
    """Steps an instance in its own step()."""

    def __init__(self, results: WatchedResults, inner: Vectorizer) -> None:
        self.results, self.inner = results, inner

    def inner_step(self, action):
        returned = self.inner.step(action)
        self.results.look(self.inner, self.inner, returned, sys._getframe())
        return returned

    def step(self, action):
        returned = self.inner_step(action)
        flags = np.zeros(2, bool)
        cut = np.asarray(flags)
        cut[0] = True
        return returned[0], 1.0, flags, cut


@pytest.fixture
def outer(monkeypatch: pytest.MonkeyPatch) -> tuple[Outer, list[dict[str, Any]]]:
    """An object around an instance, and what is journaled of it."""
    monkeypatch.setattr(Outer, "step", Outer.step)
    events: list[dict[str, Any]] = []

    def tell(what: str, **keys: Any) -> None:
        events.append({"what": what, "pid": 1, "t": 0.0, **keys})

    results = WatchedResults(lambda: PLACE, tell, pytest.fail)
    return Outer(results, Vectorizer(overwriting(np.zeros(3)))), events


def test_array_that_a_vectorizer_hands_on_is_its_environments(
    outer: tuple[Outer, list[dict[str, Any]]],
) -> None:
    stored = [outer[0].step(0)[0] for _ in range(40)]
    (known,) = [event for event in outer[1] if event["what"] == "overwritten"]
    assert known["type"].endswith(".Vectorizer")
    assert len(stored) == 40


def test_array_that_is_two_values_is_named_by_its_code(
    outer: tuple[Outer, list[dict[str, Any]]],
) -> None:
    for _ in range(40):
        outer[0].step(0)
    report = PageReport()
    report.take(map(announced, outer[1]))
    (known,) = map(with_names, report.aliased_arrays)
    assert known.places == (2, 3)
    assert known.names == ("flags", "cut")
    assert known.location is not None
    assert known.bound is not None
    assert known.location.line == known.bound.line + 1 == known.defined.line + 4
    assert is_counted(Outer.step)


def test_array_without_a_source_has_no_names() -> None:
    array = AliasedArray(1, "gone.Gone", (2, 3), Location("/gone.py", 3, "step"))
    assert with_names(array) == array


def test_recorded_training_has_them_as_they_were() -> None:
    place = Location("/train.py", 3, "step")
    training = Training(
        (),
        overwritten=(Overwritten(1, "arm.Arm", 9, place),),
        aliased_arrays=(
            AliasedArray(1, "arm.Arms", (2, 3), place, ("dones", "over"), place, place),
            AliasedArray(1, "arm.Others", (0, 1), place),
        ),
    )
    assert Training.from_dict(training.as_dict()) == training


class Coroutines:
    """Its step() is one that is awaited, or a generator."""

    async def step(self, action):
        return action, 1.0, False, {}


class Yields(Coroutines):
    def step(self, action):
        yield action


@pytest.mark.parametrize("kind", [Coroutines, Yields])
def test_step_that_is_awaited_or_yields_stays_as_it_is(kind: type) -> None:
    original = vars(kind)["step"]
    WatchedResults(lambda: PLACE, lambda *_, **__: None, pytest.fail).follow(kind)
    assert vars(kind)["step"] is original
