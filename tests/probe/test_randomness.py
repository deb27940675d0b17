"""Generators that an instance keeps, found without making it slower."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest

from envdoctor.probe.tracing import randomness


class Env:
    """As small as an environment gets; `_np_random` is where Gymnasium puts its own."""

    _np_random = None

    def __init__(self, **attributes: object) -> None:
        self.config = {"np_random": 1, "size": 2}
        self.position = 0.0
        for name, value in attributes.items():
            setattr(self, name, value)


def told(env: object) -> set[str]:
    return {name for name in randomness.states(env) if name.startswith("self.")}


@pytest.mark.parametrize("asked", [False, True], ids=["values", "dictionary"])
@pytest.mark.parametrize(
    ("attributes", "names"),
    [
        ({}, set()),
        ({"_np_random": np.random.default_rng(1)}, {"self._np_random"}),
        ({"rng": random.Random(1)}, {"self.rng"}),
        (
            {"_np_random": np.random.default_rng(1), "noise": np.random.RandomState(2)},
            {"self._np_random", "self.noise"},
        ),
    ],
    ids=["none", "Gymnasium's", "its own", "both"],
)
def test_generators_are_found(attributes: dict[str, object], names: set[str], asked: bool) -> None:
    env = Env(**attributes)
    if asked:
        assert vars(env)["position"] == 0.0
    assert told(env) == names


GENERATOR = random.Random(3)


def test_generators_of_modules_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"{__name__}.GENERATOR"
    before = randomness.states(Env())[name]
    GENERATOR.random()
    assert randomness.states(Env())[name] != before
    monkeypatch.delitem(sys.modules, __name__)
    assert name not in randomness.states(Env())


def test_a_state_is_a_digest_that_changes_with_it() -> None:
    env = Env(rng=random.Random(1))
    before = randomness.states(env)["self.rng"]
    assert randomness.states(env)["self.rng"] == before
    env.rng.random()
    assert randomness.states(env)["self.rng"] != before


@pytest.mark.skipif(sys.version_info < (3, 11), reason="an instance always has a dictionary")
def test_an_instance_keeps_its_values_to_itself() -> None:
    """Nobody asked for its dictionary: it holds its attributes, not a dictionary of them."""
    import gc

    env = Env(_np_random=np.random.default_rng(1))
    randomness.states(env)
    assert env.config in gc.get_referents(env)


def test_class_with_a_hash_of_its_own_is_not_asked_for_it() -> None:
    class Meta(type):
        def __hash__(cls) -> int:
            raise AssertionError("code of the subject")

    class Odd(metaclass=Meta):
        pass

    assert told(Env(odd=Odd(), rng=random.Random(3))) == {"self.rng"}
