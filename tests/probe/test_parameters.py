"""The parameters of a reset() are read once, and nothing of the subject is held for that."""

from __future__ import annotations

import gc
import inspect
import weakref

import pytest

from envdoctor.probe import parameters


class Map:
    """A default that an environment may hold much memory in."""


def env_class() -> type:
    class Env:
        def reset(self, *, seed: object = None, options: object = Map()) -> None:
            pass

    return Env


def test_each_method_has_its_own_parameters() -> None:
    class Other(env_class()):  # type: ignore[misc]
        def reset(self, level: int, **more: object) -> None:
            pass

    for kind in (env_class(), Other, env_class()):
        for _ in range(2):
            expected = inspect.signature(kind().reset).parameters.values()
            assert parameters.of(kind().reset) == tuple(
                (each.name, each.kind, each.default is not each.empty) for each in expected
            )


def test_function_of_the_class_is_not_taken_for_the_method() -> None:
    env = env_class()()
    bound, unbound = parameters.of(env.reset), parameters.of(type(env).reset)
    assert [each.name for each in bound] == ["seed", "options"]
    assert [each.name for each in unbound] == ["self", "seed", "options"]


def test_class_and_its_defaults_can_go() -> None:
    kind = env_class()
    defaults = inspect.signature(kind.reset).parameters  # type: ignore[attr-defined]
    held = [weakref.ref(kind), weakref.ref(defaults["options"].default)]
    parameters.of(kind().reset)
    del kind, defaults
    gc.collect()
    assert [reference() for reference in held] == [None, None]


def test_method_without_a_signature_is_refused() -> None:
    class Env:
        reset = "nothing to call"

    with pytest.raises(TypeError):
        parameters.of(Env().reset)  # type: ignore[arg-type]
