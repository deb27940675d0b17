"""Package that registers an id, and installed packages that would register one, found by reading."""

from __future__ import annotations

import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from envdoctor.probe.adapters.pettingzoo import registry as of_agents
from envdoctor.probe.subject import registries

SOURCES = [
    ("roads", 'register(id="highway-v0", entry_point="roads:Highway")'),
    ("arcade", 'for game in GAMES:\n    register(id=f"ALE/{game}-v5")'),
    ("maps", 'register(id="maps/Town-v1")'),
]


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registries, "_registering_sources", lambda: iter(SOURCES))


@pytest.mark.parametrize(
    ("name", "certain", "possible"),
    [
        ("highway-v0", ["roads"], []),
        ("highway-v1", [], []),
        ("ALE/Breakout-v5", [], ["arcade"]),
        ("maps/Town-v1", ["maps"], ["maps"]),
        ("Unknown-v0", [], []),
    ],
)
def test_packages_that_register_an_id_are_found(
    name: str, certain: list[str], possible: list[str]
) -> None:
    assert registries.would_register(name) == certain
    assert registries.may_register(name) == possible


def test_imported_package_is_not_a_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "maps", types.ModuleType("maps"))
    assert registries.may_register("maps/Hamlet-v1") == []


def moved(**arguments: Any) -> None:
    """Registered where the environment has moved to another package."""
    raise ImportError(f"moved to roads: {arguments}")


def moved_or_made(size: int = 3) -> int:
    if size > 5:
        raise ValueError(size)
    return size


def yields_first() -> Any:
    yield 1
    raise ValueError


@pytest.mark.parametrize(
    ("entry_point", "placeholder"),
    [
        (moved, True),
        (f"{__name__}:moved", True),
        (moved_or_made, False),
        (yields_first, False),
        (dict, False),
        ("not.imported:Roads", False),
        (None, False),
    ],
)
def test_entry_point_that_only_raises_is_a_placeholder(
    entry_point: object, placeholder: bool
) -> None:
    assert registries.is_placeholder(entry_point) is placeholder


def test_id_of_a_placeholder_is_free_to_take(monkeypatch: pytest.MonkeyPatch) -> None:
    def specs(**entry_points: object) -> dict[str, Any]:
        return {
            name: gymnasium.envs.registration.EnvSpec(name, entry_point=entry_point)
            for name, entry_point in entry_points.items()
        }

    registered = specs(Moved=moved, Cart="carts:Cart")
    monkeypatch.setattr(gymnasium.envs.registration, "registry", registered)
    before = registries.owners()
    registered.update(specs(Moved="roads:Moved", Cart="roads:Cart"))
    assert registries.overridden(before) == [("Cart", "carts:Cart", "roads:Cart")]


def test_only_a_vector_environment_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    def fleet(num_envs: int) -> str:
        return f"{num_envs} rows"

    monkeypatch.setitem(
        gymnasium.registry,
        "tests/Fleet-v0",
        gymnasium.envs.registration.EnvSpec("tests/Fleet-v0", vector_entry_point=fleet),
    )
    made: list[object] = []
    monkeypatch.setattr(gymnasium, "make_vec", lambda what, **more: made.append((what, more)))
    registries.make("tests/Fleet-v0", {})
    registries.make("tests/Fleet-v0", {"num_envs": 5})
    registries.make("fleet:tests/Fleet-v0", {})
    assert made == [
        ("tests/Fleet-v0", {"num_envs": 2}),
        ("tests/Fleet-v0", {"num_envs": 5}),
        ("fleet:tests/Fleet-v0", {"num_envs": 2}),
    ]


class Agents:
    """A registry of another kind."""

    @staticmethod
    def ids() -> list[str]:
        return ["board/chess-v6"]

    @staticmethod
    def specification(name: str) -> str | None:
        return f"the specification of {name}" if name == "board/chess-v6" else None

    @staticmethod
    def make(name: str, kwargs: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        return name, kwargs


def test_an_id_of_another_kind_of_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registries, "_others", lambda: [Agents])
    assert registries.knows("board/chess-v6")
    assert registries.specification("board/chess-v6") == "the specification of board/chess-v6"
    assert registries.make("boards:board/chess-v6", {"size": 3}) == ("board/chess-v6", {"size": 3})
    assert registries.nearest("board/ches-v6") == ["board/chess-v6"]
    assert not registries.knows("board/go-v0")
    assert registries.specification("CartPole-v1").id == "CartPole-v1"


class BothKinds:
    """PettingZoo, as far as ids go."""

    parallel_registry = types.MappingProxyType({"sky/kites-v1": "parallel"})
    aec_registry = types.MappingProxyType({"sky/kites-v1": "aec", "board/chess-v6": "aec"})

    @classmethod
    def spec(cls, kind: str, name: str) -> str:
        return (cls.parallel_registry if kind == "parallel" else cls.aec_registry)[name]

    @staticmethod
    def make(kind: str, name: str, **kwargs: Any) -> tuple[object, ...]:
        return kind, name, kwargs


def test_agents_move_together_unless_the_user_says_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(of_agents, "_library", lambda: BothKinds)
    assert of_agents.make("sky/kites-v1", {}) == ("parallel", "sky/kites-v1", {})
    assert of_agents.make("sky/kites-v1", {"env_type": "aec"}) == ("aec", "sky/kites-v1", {})
    assert of_agents.make("board/chess-v6", {"size": 3}) == ("aec", "board/chess-v6", {"size": 3})
    assert of_agents.specification("board/go-v0") is None


def test_library_that_is_not_there_is_looked_for_again_on_another_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = "a_library_of_ids"
    assert registries._library(name) is None
    (tmp_path / f"{name}.py").touch()
    assert registries._library(name) is None
    monkeypatch.syspath_prepend(str(tmp_path))
    library = registries._library(name)
    assert library is not None
    monkeypatch.delitem(sys.modules, name)
