"""Action spaces that each access makes anew."""

from __future__ import annotations

from typing import Any

import gymnasium

from envdoctor.probe.comparison.remade_spaces import is_seed_lost, remade_space

KEPT = gymnasium.spaces.Discrete(5)


class Arm(gymnasium.Env[Any, Any]):
    action_space = KEPT


class Anew(Arm):
    @property
    def action_space(self) -> Any:
        return gymnasium.spaces.Discrete(5)


class Renaming(gymnasium.Wrapper[Any, Any, Any, Any]):
    @property
    def action_space(self) -> Any:
        return gymnasium.spaces.Box(-1.0, 1.0, (2,))


class Agents:
    possible_agents = ("a", "b")

    def action_space(self, agent: str) -> Any:
        return KEPT if agent == "a" else gymnasium.spaces.Discrete(5)

    observation_space = action_space
    agents = possible_agents

    def reset(self, seed: Any = None, options: Any = None) -> Any:
        return {}, {}

    def step(self, actions: Any) -> Any:
        return {}, {}, {}, {}, {}


def test_a_space_that_is_kept_is_not_accused() -> None:
    assert remade_space(Arm()) is None
    assert remade_space(gymnasium.Wrapper(Arm())) is None


def test_the_innermost_class_that_makes_it_anew_is_named() -> None:
    for environment, kind in ((Anew(), "Anew"), (Renaming(Arm()), "Renaming")):
        remade = remade_space(environment)
        assert remade is not None
        assert (remade["space"], remade["class"]) == ("action_space", f"{__name__}.{kind}")
        assert remade["place"]["function"] == f"{kind}.action_space"
    remade = remade_space(gymnasium.Wrapper(Anew()))
    assert remade is not None
    assert remade["class"].endswith(".Anew")


def test_the_space_of_an_agent_is_named() -> None:
    remade = remade_space(Agents())
    assert remade is not None
    assert remade["space"] == "action_space('b')"


def test_a_space_that_draws_as_it_was_seeded_is_not_accused() -> None:
    generator = gymnasium.spaces.Discrete(5)

    class Facade:
        """One of many, with one generator."""

        def seed(self, seed: int) -> None:
            generator.seed(seed)

        def sample(self) -> Any:
            return generator.sample()

    assert not is_seed_lost(Facade)
    assert not is_seed_lost(lambda: gymnasium.spaces.Discrete(1))
