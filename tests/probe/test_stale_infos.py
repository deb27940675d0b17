"""Numbers in the infos of reset() that are those of the last step before it."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from envdoctor.probe.comparison.frozen import freeze
from envdoctor.probe.comparison.stale_infos import StaleInfos

DURATIONS = (31.5, 12.0, 44.25, 20.5, 38.0, 15.75, 27.5, 52.0, 11.5)


class Satellite(gymnasium.Env[Any, Any]):
    """Its info has the duration of the last step."""

    def __init__(self) -> None:
        self.duration, self.durations = 0.0, iter(DURATIONS)

    def reset(self, **_: object) -> tuple[Any, dict[str, Any]]:
        self.clear()
        self.steps = 0
        return self.look(), self.info()

    def clear(self) -> None:
        """Nothing of the episode before is cleared."""

    def look(self) -> Any:
        return np.array([self.steps])

    def step(self, action: Any) -> Any:
        self.steps += 1
        self.play()
        return self.look(), 0.0, False, False, self.info()

    def play(self) -> None:
        self.duration = next(self.durations)

    def info(self) -> dict[str, Any]:
        return {"duration": self.duration, "name": "satellite"}


class Cleared(Satellite):
    def clear(self) -> None:
        self.duration = 0.0


class Counting(Satellite):
    """The time of all episodes."""

    def play(self) -> None:
        self.duration += next(self.durations)


class Pausing(Satellite):
    """A value that most steps leave alone, as a thermometer's."""

    def play(self) -> None:
        if self.steps % 2:
            super().play()


class Whole(Satellite):
    def play(self) -> None:
        self.duration = int(next(self.durations))


class Continuing(Satellite):
    """An episode goes on where the last one was left."""

    def look(self) -> Any:
        return np.array([self.duration])


class Computed(Satellite):
    """No attribute has it: what it is computed of goes on."""

    def info(self) -> dict[str, Any]:
        return {"duration": self.duration + 1.0}


class OnceOnly(Satellite):
    """After its first episode alone."""

    episodes = 0

    def clear(self) -> None:
        self.episodes += 1
        if self.episodes > 2:
            self.duration = 0.0


def looked_at(kind: type[Satellite], wrap: bool = False, episodes: int = 3) -> Any:
    inner = kind()
    environment = gymnasium.wrappers.OrderEnforcing(inner) if wrap else inner
    infos = StaleInfos()
    for _ in range(episodes):
        infos.take("reset", *_frozen(environment.reset()), environment)
        for _ in range(3):
            observation, _, _, _, info = environment.step(0)
            infos.take("step", freeze(observation), info, environment)
    infos.take("reset", *_frozen(environment.reset()), environment)
    return infos.as_fact()


def _frozen(returned: Any) -> tuple[Any, Any]:
    return freeze(returned[0]), returned[1]


@pytest.mark.parametrize("wrap", [False, True])
def test_number_that_goes_on_is_named_with_its_attribute(wrap: bool) -> None:
    expected = {"key": "duration", "attribute": "self.duration", "episodes": 3}
    assert looked_at(Satellite, wrap) == expected


@pytest.mark.parametrize(
    "kind", [Cleared, Counting, Pausing, Whole, Continuing, Computed, OnceOnly]
)
def test_others_are_left_out(kind: type[Satellite]) -> None:
    assert looked_at(kind) is None


def test_single_episode_is_not_enough() -> None:
    assert looked_at(Satellite, episodes=1) is None
    assert StaleInfos().as_fact() is None
