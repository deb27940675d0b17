"""Shapes by values: how they are recognised, what they are asked, and their null environments."""

from __future__ import annotations

import gc
import pickle
import weakref
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest

from envdoctor.probe import environment_api
from envdoctor.probe.actions import Actions
from envdoctor.probe.adapters.dm_env import single
from envdoctor.probe.adapters.gymnasium.vector import Batched
from envdoctor.probe.adapters.pettingzoo.agents import AgentActions, AgentDraw, AgentInfos
from envdoctor.probe.frameworks import null, shapes
from envdoctor.probe.growth import cycles

SPACES = (gymnasium.spaces.Box(0.0, 1.0, (2,)), gymnasium.spaces.Discrete(3))


class Spec(NamedTuple):
    shape: tuple[int, ...]
    dtype: Any
    minimum: Any = -np.inf
    maximum: Any = np.inf


NATURES = {
    "gymnasium-vector": (2, *SPACES),
    "pettingzoo-parallel": {"ann": SPACES, "bob": SPACES},
    "pettingzoo-aec": {"ann": SPACES, "bob": SPACES},
    "dm_env": (Spec((2,), float), Spec((), int, 0, 3)),
    "gem": (),
    "tools": (),
    "textarena": 1,
}


def made(name: str) -> Any:
    return shapes.named(name).null(NATURES[name])


def played(environment: Any, seed: int) -> list[Any]:
    """Return the readings of one episode of five steps."""
    actions = Actions(0)
    seen, told = environment_api.reset(environment, seed, environment)
    actions.look_at(environment_api.action_space(environment))
    shown = [seen]
    for _ in range(5):
        seen, _, terminated, truncated, told = environment_api.transition(
            environment, actions.draw(told)
        )
        assert not (terminated or truncated)
        shown.append(seen)
    return shown


@pytest.mark.parametrize("name", NATURES)
def test_a_null_environment_is_of_its_own_shape_and_endless(name: str) -> None:
    environment = made(name)
    assert environment_api.api_of(environment) == name
    assert environment_api.refused(environment) == ""
    assert str(played(environment, 3)) == str(played(made(name), 3))


@pytest.mark.parametrize("name", ["gymnasium-vector", "pettingzoo-parallel", "pettingzoo-aec"])
def test_a_null_environment_obeys_its_seed(name: str) -> None:
    assert environment_api.can_be_seeded(made(name))
    assert str(played(made(name), 3)) != str(played(made(name), 4))


@pytest.mark.parametrize("name", NATURES)
def test_the_control_has_the_shape_of_the_subject(name: str, tmp_path: Path) -> None:
    file = str(tmp_path / "spaces.pkl")
    environment = made(name)
    assert null.save_nature(file, environment, shapes.of(environment))
    control = null.environment(file)
    assert environment_api.api_of(control) == name
    assert len(played(control, 0)) == 6


@pytest.mark.parametrize("name", NATURES)
def test_cycles_of_a_leak_check_play_every_call(name: str) -> None:
    raised: list[BaseException] = []
    bare = cycles.BareCycles(lambda: made(name), 0, lambda _, error: raised.append(error))
    bare.run(cycles.Size(1, 2, 15))
    assert raised == []
    assert (bare.tally[cycles.RESETS], bare.tally[cycles.STEPS]) == (2, 30)


def test_a_single_environment_has_no_shape() -> None:
    assert shapes.of(null.environment("")) is None
    assert shapes.of(object()) is None


class Hostile:
    """Fails at whatever it is asked for."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    def reset(self) -> int:
        return 0

    def step(self, action: Any) -> int:
        return 0


def test_an_object_that_fails_when_asked_has_no_shape() -> None:
    assert shapes.of(Hostile()) is None
    assert environment_api.refused(Hostile()) == ""


@pytest.mark.parametrize("kind", [np.int8, np.bool_, np.int64, list])
def test_each_agent_is_drawn_for_within_its_mask_and_the_dead_take_none(kind: Any) -> None:
    space = gymnasium.spaces.Discrete(4)
    mask: Any = [0, 0, 1, 0] if kind is list else np.array([0, 0, 1, 0], dtype=kind)
    together = AgentActions(together=True)
    together.seed(0)
    asked = {
        "a": AgentDraw(space, mask),
        "b": AgentDraw(space, None),
        "c": AgentDraw(space, None, over=True),
    }
    drawn = [together.onto(AgentInfos({}, asked)) for _ in range(8)]
    assert {actions["a"] for actions in drawn} == {2}
    assert len({actions["b"] for actions in drawn}) > 1
    assert {actions["c"] for actions in drawn} == {None}


def test_infos_that_are_none_are_no_infos() -> None:
    assert AgentInfos(None, {}) == {}


def test_drawing_leaves_the_environments_own_spaces_alone() -> None:
    space = gymnasium.spaces.Discrete(100)
    space.seed(1)
    expected = pickle.loads(pickle.dumps(space)).sample()
    drawing = AgentActions(together=True)
    drawing.seed(0)
    drawing.onto(AgentInfos({}, {"a": AgentDraw(space, None)}))
    batched = Batched(space, 3)
    Actions(0).look_at(batched)
    assert space.sample() == expected


@pytest.mark.parametrize(
    ("spec", "low", "high"),
    [
        (Spec((), int, 2, 5), 2, 5),
        (Spec((3,), np.uint8), 0, 1),
        (Spec((2,), np.float32, [-3.0, 0.0], 4.0), -3, 4),
        (Spec((), float), -1, 1),
        (Spec((), float, 7.0), 7, 7),
        (Spec((), float, -np.inf, -5.0), -5, -5),
    ],
)
def test_actions_are_within_their_specification(spec: Spec, low: float, high: float) -> None:
    random = np.random.RandomState(0)
    for _ in range(50):
        value = single.draw(spec, random)
        assert np.asarray(value).dtype == spec.dtype
        assert np.shape(value) == spec.shape
        assert np.all(low <= np.asarray(value, dtype=float))
        assert np.all(np.asarray(value, dtype=float) <= high)


def test_specifications_stand_in_containers() -> None:
    random = np.random.RandomState(0)
    drawn = single.draw({"a": [Spec((), int, 1, 1)], "b": Spec((2,), float)}, random)
    assert drawn["a"] == [1]
    assert drawn["b"].shape == (2,)


class Three:
    def reset(self, num_players, seed=None):
        assert num_players == 3, f"it is for three, not for {num_players}"


class Some:
    def reset(self, num_players, seed=None):
        if num_players < 4 or num_players > 6:
            raise ValueError("it is for four to six")
        hand = 3 if num_players <= 3 else 2
        assert hand > 1


class Listed:
    def reset(self, num_players, seed=None):
        if num_players not in [2, 3]:
            raise ValueError("two or three")
        assert num_players >= 1


class Asking:
    limit = 4

    def reset(self, num_players, seed=None):
        assert num_players == self.limit


class Impossible:
    def reset(self, num_players, seed=None):
        assert 2 > num_players > 5


@pytest.mark.parametrize(
    ("kind", "players"), [(Three, 3), (Some, 4), (Listed, 2), (Asking, 0), (Impossible, 0)]
)
def test_the_checks_of_a_reset_say_for_how_many_players_a_game_is(kind: type, players: int) -> None:
    kind.get_observation = lambda self: (0, "")
    shape = shapes.named("textarena")
    assert shape.recognises(kind())
    assert shape.nature(kind()) == players
    assert bool(shape.refuses(kind())) is (players == 0)


class Single(gymnasium.Env[Any, Any]):
    """An environment of one episode at a time."""


class Rows(gymnasium.Env[Any, Any], gymnasium.vector.VectorEnv[Any, Any, Any]):
    """A pool: both by its class."""


class Proxy:
    """An object that has the class of what it stands for."""

    def __init__(self, inner: object) -> None:
        self.inner = inner

    @property
    def __class__(self) -> Any:
        return type(self.inner)


def test_each_object_has_the_shape_of_its_own_class() -> None:
    rows, single_, other = object.__new__(Rows), object.__new__(Single), object.__new__(Single)
    for _ in range(2):
        assert [shapes.of(each) for each in (single_, other)] == [None, None]
        assert shapes.of(rows).NAME == "gymnasium-vector"
        assert shapes.of(Proxy(single_)) is None
        assert shapes.of(Proxy(rows)).NAME == "gymnasium-vector"


def test_class_of_an_environment_can_go() -> None:
    kind = type("Brief", (Single,), {})
    shapes.of(object.__new__(kind))
    reference = weakref.ref(kind)
    del kind
    gc.collect()
    assert reference() is None
