"""Environments that accept a seed, and what Gymnasium's checker says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from envdoctor.probe import environment_api
from envdoctor.probe.adapters import own_checker
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership


class Seeded(gymnasium.Env[Any, Any]):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return self.np_random.random(1).astype(np.float32), {}

    def step(self, action: Any) -> Any:
        return self.np_random.random(1).astype(np.float32), 0.0, False, False, {}


class HandsOn(Seeded):
    def reset(self, **k: Any) -> Any:
        return super().reset(**k)


class HandsOnTwice(HandsOn):
    def reset(self, **more: Any) -> Any:
        return super().reset(**more)


class Unseeded(Seeded):
    def reset(self) -> Any:  # type: ignore[override]
        return super().reset()


class HandsOnToNoSeed(Unseeded):
    def reset(self, **k: Any) -> Any:
        return super().reset(**k)


@pytest.mark.parametrize(
    ("made", "seeded"),
    [
        (Seeded, True),
        (HandsOn, True),
        (HandsOnTwice, True),
        (Unseeded, False),
        (HandsOnToNoSeed, False),
    ],
)
def test_a_seed_goes_where_the_first_base_that_names_its_keywords_takes_one(
    made: type[Any], seeded: bool
) -> None:
    assert environment_api.takes_seed(made()) is seeded


@pytest.mark.parametrize(("made", "accused"), [(HandsOnTwice, False), (Unseeded, True)])
def test_the_checker_accuses_no_parameter_for_its_name(
    made: type[Any], accused: bool, tmp_path: Path
) -> None:
    assert ("does not provide a `seed`" in _said_of(made, tmp_path)) is accused


class DrawsAgain(Seeded):
    """Draws more often in each episode: what is left of the last one is drawn again."""

    resets = 0

    def reset(self, **k: Any) -> Any:
        self.resets += 1
        first = super().reset(**k)
        self.np_random.random(self.resets)
        return first


class SeedsOnce(Seeded):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return super().reset(seed=seed if self._np_random is None else None)


class SeedsNever(Seeded):
    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return super().reset()


@pytest.mark.parametrize(
    ("made", "accused"),
    [(Seeded, False), (DrawsAgain, False), (SeedsOnce, True), (SeedsNever, True)],
)
def test_the_checker_accuses_no_reset_that_passes_the_seed_on(
    made: type[Any], accused: bool, tmp_path: Path
) -> None:
    assert (own_checker.UNSEEDED in _said_of(made, tmp_path)) is accused


class Instrumented(gymnasium.Wrapper):  # type: ignore[type-arg]
    """As the factory makes them, with a log that is not kept."""

    _envdoctor_log = None


def _said_of(made: type[Any], folder: Path) -> str:
    journal = folder / "journal"
    own_checker.check(
        lambda: Instrumented(made()),  # type: ignore[arg-type]
        Journal(str(journal)),
        Ownership(),
    )
    return journal.read_text() if journal.exists() else ""


class Floats(gymnasium.ObservationWrapper):  # type: ignore[type-arg]
    """It returns another dtype than its space has."""

    def observation(self, observation: Any) -> Any:
        return observation.astype("float64") * 0.5


class FloatsInSpace(Floats):
    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Box(-9.0, 9.0, (1,), "float64")


@pytest.mark.parametrize(("wrapper", "accused"), [(Floats, True), (FloatsInSpace, False)])
def test_wrapper_whose_observation_is_not_in_its_space_is_named(
    wrapper: type[Any], accused: bool, tmp_path: Path
) -> None:
    said = _said_of(lambda: wrapper(Seeded()), tmp_path)  # type: ignore[arg-type]
    assert ("what Floats.reset() returns" in said) is accused
    assert ("has dtype float64, its space float32" in said) is accused


def test_environment_without_action_space_is_not_accused_of_its_step(tmp_path: Path) -> None:
    class WithoutActions(Seeded):
        action_space = None  # type: ignore[assignment]

    journal = tmp_path / "journal"
    own_checker.check(
        lambda: Instrumented(WithoutActions()),  # type: ignore[arg-type]
        Journal(str(journal)),
        Ownership(),
    )
    said = journal.read_text()
    assert "must have an attribute `action_space`" in said
    assert "sample" not in said
