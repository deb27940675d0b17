"""Actions that fill a part of their space, as a watched process sees them."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from envdoctor.model import page
from envdoctor.probe.live import narrow_actions

ROW, STEPS = page.FIRST * page.WIDTH, 400
GENERATOR = np.random.default_rng(1)
WIDE = spaces.Box(-2.0, 2.0, (1,))


class Watched:
    """Instances of a process that journal into a list."""

    def __init__(self) -> None:
        self.name, self.events = "page", list[dict[str, Any]]()

    def tell(self, what: str, **keys: Any) -> None:
        self.events.append({"what": what, **keys})

    def where(self) -> tuple[tuple[str, int, str], str, bool]:
        return ("/train.py", 42, "fit"), "", False


@pytest.fixture
def watched() -> Iterator[Watched]:
    yield Watched()
    narrow_actions._known.clear()


def cut() -> Any:
    return np.clip(GENERATOR.normal(0.0, 1.0, 1), -1.0, 1.0).astype(np.float32)


def play(watched: Any, space: object, action: Callable[[], object], steps: int = STEPS) -> None:
    instance = types.SimpleNamespace(action_space=space)
    for _ in range(steps):
        narrow_actions.look(watched, ROW, instance, action())


def test_actions_that_were_cut_at_one_are_journaled_once(watched: Watched) -> None:
    play(watched, WIDE, cut)
    (event,) = watched.events
    assert (event["row"], event["message"], event["number"]) == (1, "from -2 to 2", 256)
    assert (event["frame"]["line"], event["calls"] >= 16) == (42, True)


@pytest.mark.parametrize(
    ("space", "action"),
    [
        (spaces.Box(-1.0, 1.0, (1,)), cut),
        (spaces.Box(-np.inf, np.inf, (1,), np.float64), cut),
        (spaces.Discrete(2), lambda: 1),
        (None, cut),
        (WIDE, lambda: GENERATOR.uniform(-2.0, 2.0, 1)),  # all of the space
        (WIDE, lambda: GENERATOR.uniform(-0.5, 0.5, 1)),  # small ones
        (WIDE, lambda: GENERATOR.choice([-1.0, 0.0, 1.0], 1)),  # a few
        (WIDE, lambda: abs(cut())),  # one end
        (WIDE, lambda: cut() * np.nan),
        (WIDE, lambda: [0.5]),
    ],
)
def test_other_actions_are_left_out(
    space: object, action: Callable[[], object], watched: Watched
) -> None:
    play(watched, space, action)
    assert watched.events == []


def test_action_beyond_takes_back_the_journaled_one(watched: Watched) -> None:
    play(watched, WIDE, cut)
    play(watched, WIDE, lambda: cut() * 2.0)
    assert [event["number"] for event in watched.events] == [256, 0]
