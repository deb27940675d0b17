"""Attributes in which something of an episode lives on: named only where putting back helps."""

from __future__ import annotations

from collections import deque
from typing import Any

import gymnasium
import numpy as np
import pytest

from envdoctor.probe.comparison.layers import Episodes
from envdoctor.probe.comparison.leftover import leftovers


class Filter:
    def __init__(self):
        self.reset()
        self.calls = 0

    def reset(self):
        self.last = 0.0

    def pass_on(self, value):
        self.calls += 1
        self.last = 0.5 * self.last + value
        return self.last


class Maze(gymnasium.Env):
    """Each reset() sets back all that matters; it counts episodes."""

    observation_space = gymnasium.spaces.Box(0, 9, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.filter, self.episodes, self.history = Filter(), 0, deque([0.0] * 3, maxlen=3)

    def clear(self):
        self.filter.reset()
        self.history.extend([0.0] * 3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.episodes += 1
        self.place = self.np_random.random(2)
        self.clear()
        return self.look(), {}

    def step(self, action):
        self.place = self.place + 0.01 + action
        return self.look(), 0.0, False, False, {}

    def look(self):
        self.history.append(float(self.place[0]))
        return np.array([self.filter.pass_on(self.place[0]), sum(self.history)])


class KeepsFilter(Maze):
    def clear(self):
        self.history.extend([0.0] * 3)


class Lasting(Filter):
    def __init__(self):
        super().__init__()
        self.last = 0.0

    def reset(self):
        """It forgets nothing."""


class ResetsNothing(Maze):
    def __init__(self):
        super().__init__()
        self.filter = Lasting()


class KeepsHistory(Maze):
    def clear(self):
        self.filter.reset()


class KeepsBoth(Maze):
    def clear(self):
        pass


class KnowsItself(KeepsFilter):
    def __init__(self):
        super().__init__()
        self.filter.owner = self


WORLD = [0.0]


class Camera:
    def __init__(self, maze):
        self.maze, self.pictures = maze, 0


class HoldsItself(KeepsFilter):
    """With its camera, which counts, all of the instance is put back."""

    def __init__(self):
        self.camera = Camera(self)
        super().__init__()

    def look(self):
        self.camera.pictures += 1
        return super().look()


class OfModule(Maze):
    """It lives on in a module, where no attribute can be put back."""

    def look(self):
        WORLD[0] += 1.0
        return super().look() + WORLD[0]


class Breaks(KeepsHistory):
    """It cannot be reset once its history is as at first."""

    def clear(self):
        if self.episodes > 1 and not any(self.history):
            raise RuntimeError("no history")


def leftovers_of(kind: type, wrap: Any = None) -> list[dict[str, Any]]:
    inner = kind()
    episodes = Episodes(inner if wrap is None else wrap(inner), 7, 3)
    return leftovers(episodes, inner, 7, lambda: False)


@pytest.mark.parametrize(
    ("kind", "name", "class_name", "resets"),
    [
        (KeepsFilter, "self.filter.last", "Filter", True),
        (ResetsNothing, "self.filter.last", "Lasting", False),
        (KeepsHistory, "self.history", "KeepsHistory", False),
    ],
)
def test_attribute_is_named(kind: type, name: str, class_name: str, resets: bool) -> None:
    expected = [{"name": name, "class": class_name, "resets": resets, "setter": ""}]
    assert leftovers_of(kind) == expected
    assert leftovers_of(kind, gymnasium.wrappers.OrderEnforcing) == expected


class Meter:
    def __init__(self):
        self.hour = 0
        self.load = 3.0

    def refresh(self):
        self.load = 3.0 + self.hour

    def run(self):
        self.hour += 1
        self.refresh()

    def back(self):
        self.hour = 0


class Calibrated(Meter):
    def calibrate(self):
        self.load = 3.0


class Scaled(Meter):
    def refresh(self, scale=1.0):
        self.load = scale * (3.0 + self.hour)


class Grid(gymnasium.Env):
    """An hour is played; reset() goes back, and does not read the meter again."""

    observation_space = gymnasium.spaces.Box(0, 99, (1,))
    action_space = gymnasium.spaces.Discrete(2)
    Meter = Meter

    def __init__(self):
        self.meter = self.Meter()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.meter.back()
        return np.array([self.meter.load]), {}

    def step(self, action):
        self.meter.run()
        return np.array([self.meter.load]), 0.0, False, False, {}


class WithTwoSetters(Grid):
    Meter = Calibrated


class WithArgument(Grid):
    Meter = Scaled


class WithoutSetter(Grid):
    """Only step() sets it, itself."""

    def step(self, action):
        self.meter.load += 1.0
        return np.array([self.meter.load]), 0.0, False, False, {}

    class Meter:
        def __init__(self):
            self.load = 3.0

        def back(self):
            pass


class Refreshed(Grid):
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.meter.refresh()
        return np.array([self.meter.load]), {}


@pytest.mark.parametrize(
    ("kind", "setters"),
    [
        (Grid, ["refresh"]),
        (WithTwoSetters, [""]),
        (WithArgument, [""]),
        (WithoutSetter, [""]),
        (Refreshed, []),
    ],
)
def test_method_that_sets_the_attribute_is_named_where_there_is_one_that_reset_does_not_call(
    kind: type, setters: list[str]
) -> None:
    assert [each["setter"] for each in leftovers_of(kind)] == setters


def test_two_attributes_are_named_together() -> None:
    assert {each["name"] for each in leftovers_of(KeepsBoth)} == {"self.filter", "self.history"}


@pytest.mark.parametrize("kind", [Maze, OfModule, Breaks])
def test_nothing_is_named_where_nothing_lives_on_or_putting_back_does_not_help(kind: type) -> None:
    assert leftovers_of(kind) == []


def test_object_that_leads_to_its_instance_is_still_told_apart() -> None:
    assert [each["name"] for each in leftovers_of(KnowsItself)] == ["self.filter.last"]
    assert leftovers_of(HoldsItself) in ([], leftovers_of(KeepsFilter))


class World:
    """Three numbers, all of which decide where the next episode begins."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.speed, self.push, self.wind = 0.0, 0.0, 0.0

    def run(self):
        self.push, self.wind = self.push + 0.1, self.wind + 0.3
        self.speed += self.push + self.wind


class Robot:
    def __init__(self):
        self.world = World()
        self.world.robot = self


class Arm(gymnasium.Env):
    """Its robot has a world, which nothing resets."""

    observation_space = gymnasium.spaces.Box(0, 99, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.robot = Robot()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.robot.world.run()
        return np.array([self.robot.world.speed]), {}

    def step(self, action):
        self.robot.world.run()
        return np.array([self.robot.world.speed]), 0.0, False, False, {}


class Endless(World):
    """One that cannot be reset."""

    reset = None  # type: ignore[assignment]

    def __init__(self):
        World.reset(self)


class EndlessArm(Arm):
    def __init__(self):
        super().__init__()
        self.robot.world = Endless()


def test_attributes_of_what_an_attribute_has_are_named_where_it_has_a_reset() -> None:
    places = leftovers_of(Arm)
    assert {each["name"] for each in places} == {
        "self.robot.world.speed",
        "self.robot.world.push",
        "self.robot.world.wind",
    }
    assert all(each["class"] == "World" and each["resets"] for each in places)


def test_object_itself_is_named_where_many_of_its_attributes_have_to_be_set_back() -> None:
    (place,) = leftovers_of(EndlessArm)
    assert (place["name"], place["resets"]) == ("self.robot.world", False)
