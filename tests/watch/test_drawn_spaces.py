"""Actions that are drawn from a space which nothing seeds: what the hook journals of them."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import pytest
from gymnasium import spaces

from envdoctor.model import page
from envdoctor.probe.live import drawn_spaces
from envdoctor.probe.live.drawn_spaces import ENOUGH, follow_spaces
from envdoctor.probe.live.rows import InstanceRow

SPACES = types.SimpleNamespace(SPACES={"gymnasium.spaces.space": ("Space",)})


class Arm(gymnasium.Env):
    """May play actions of its own before an episode."""

    def __init__(self, space: spaces.Space[Any], idle: int = 0) -> None:
        self.action_space, self.idle = space, idle

    def reset(self, **_: Any) -> Any:
        for _each in range(self.idle):
            self.action_space.sample()
        return 0.0, {}


class Shaken(gymnasium.Wrapper):
    """Plays actions of its own before an episode."""

    def reset(self, **_: Any) -> Any:
        draw(self.env.action_space)
        return self.env.reset()


class Watched:
    """Instances of a process that journal into a list."""

    name = "7.page"

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.instances: list[InstanceRow] = []
        self.hook = types.SimpleNamespace(complain=pytest.fail)
        self.is_users: Callable[[str], bool] = lambda file: file == __file__

    def tell(self, what: str, **keys: Any) -> None:
        self.events.append({"what": what, **keys})

    def add(self, instance: Arm) -> Arm:
        row = InstanceRow(instance)
        row.start = (page.FIRST + len(self.instances)) * page.WIDTH
        self.instances.append(row)
        return instance

    def rows(self) -> list[InstanceRow]:
        return self.instances

    def follows(self, obj: object) -> bool:
        return any(row() is obj for row in self.instances)

    def wraps(self, kind: type) -> bool:
        return issubclass(kind, gymnasium.Wrapper)


@pytest.fixture
def watched() -> Iterator[Watched]:
    module, watched = spaces.space, Watched()
    original = vars(module.Space)["np_random"]
    drawn_spaces._journaled.clear()
    follow_spaces(watched, SPACES, module)
    yield watched
    module.Space.np_random = original  # type: ignore[method-assign]
    drawn_spaces._unseeded.clear()
    drawn_spaces._journaled.clear()


def draw(space: spaces.Space[Any], times: int = ENOUGH) -> None:
    """Draw actions as a script does."""
    for _ in range(times):
        space.sample()


def rows(watched: Watched) -> list[int]:
    """The rows of the instances whose actions are said to have no seed."""
    return [each["row"] for each in watched.events]


@pytest.mark.parametrize(
    "space",
    [
        spaces.Discrete(3),
        spaces.Box(-1.0, 1.0, (2,)),
        spaces.MultiDiscrete([2, 3]),
        spaces.MultiBinary(3),
    ],
    ids=lambda space: type(space).__name__,
)
def test_line_that_draws_is_journaled_once(space: spaces.Space[Any], watched: Watched) -> None:
    instance = watched.add(Arm(space))
    draw(instance.action_space, ENOUGH - 1)
    assert not watched.events
    draw(instance.action_space, 3 * ENOUGH)
    assert rows(watched) == [1]
    assert watched.events[0]["what"] == "draws"
    assert watched.events[0]["message"] == page.ACTION_SPACE
    assert watched.events[0]["frame"]["function"] == "draw"


def test_space_of_a_class_is_that_of_all_its_instances(watched: Watched) -> None:
    class Fixed(Arm):
        action_space = spaces.Discrete(3)

        def __init__(self) -> None:
            self.idle = 0

    instances = [watched.add(Fixed()), watched.add(Fixed())]
    draw(instances[0].action_space)
    assert rows(watched) == [1, 2]


class Pool:
    """A vectorizer of the user's, with a space for all of its instances."""

    def __init__(self, *envs: Arm) -> None:
        self.envs, self.action_space = list(envs), spaces.MultiDiscrete([3] * len(envs))


@pytest.mark.parametrize(
    ("arms", "seed", "journaled"), [(2, None, [1, 2]), (2, 4, []), (1, None, [])]
)
def test_space_of_a_vectorizer_is_that_of_all_its_instances(
    watched: Watched, arms: int, seed: int | None, journaled: list[int]
) -> None:
    pool = Pool(*(watched.add(Arm(spaces.Discrete(3))) for _ in range(arms)))
    if seed is not None:
        pool.action_space.seed(seed)
    for _ in range(ENOUGH):
        pool.action_space.sample()
    assert rows(watched) == journaled
    assert all(each["by"] == "Pool" for each in watched.events)


def test_space_with_a_seed_is_left_out(watched: Watched) -> None:
    given, seeded = (
        watched.add(Arm(spaces.Discrete(3, seed=4))),
        watched.add(Arm(spaces.Discrete(3))),
    )
    seeded.action_space.seed(4)
    draw(given.action_space, 2 * ENOUGH)
    draw(seeded.action_space, 2 * ENOUGH)
    assert not watched.events


def test_space_that_is_seeded_before_the_training_is_left_out(watched: Watched) -> None:
    instance = watched.add(Arm(spaces.Discrete(3)))
    draw(instance.action_space, ENOUGH // 2)
    instance.action_space.seed(4)
    draw(instance.action_space, 2 * ENOUGH)
    assert not watched.events


def test_seed_of_none_is_no_seed(watched: Watched) -> None:
    instance = watched.add(Arm(spaces.Discrete(3)))
    draw(instance.action_space, 1)
    instance.action_space.seed(None)
    draw(instance.action_space, 2 * ENOUGH)
    assert not watched.events, "the script has seeded it, by what the operating system gives"


def test_draws_of_environments_and_wrappers_are_left_out(watched: Watched) -> None:
    watched.add(Arm(spaces.Discrete(3), idle=ENOUGH)).reset()
    Shaken(watched.add(Arm(spaces.Discrete(3)))).reset()
    assert not watched.events


def test_draws_of_libraries_are_left_out(watched: Watched) -> None:
    instance = watched.add(Arm(spaces.Discrete(3)))
    watched.is_users = lambda file: False
    draw(instance.action_space, 2 * ENOUGH)
    assert not watched.events


def test_other_spaces_are_left_out(watched: Watched) -> None:
    watched.add(Arm(spaces.Discrete(3, seed=4)))
    draw(spaces.Discrete(3), 2 * ENOUGH)
    assert not watched.events


def test_space_that_is_gone_is_forgotten(watched: Watched) -> None:
    space = spaces.Discrete(3)
    draw(space, 2)
    assert len(drawn_spaces._unseeded) == 1
    del space
    assert not drawn_spaces._unseeded


def test_value_of_the_generator_stays_what_it_was(watched: Watched) -> None:
    space = spaces.Discrete(3, seed=4)
    assert space.np_random is space._np_random
    assert watched.events == []
