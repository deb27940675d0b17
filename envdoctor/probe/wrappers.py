"""What is under an environment's wrappers."""

from __future__ import annotations

import weakref
from typing import Any, Callable, Iterator, List

MAX_LAYERS = 64


class Shell:
    """What the probe puts around an environment that it keeps in `env`."""

    env: Any


def bare(environment: Any) -> Any:
    """The environment in what the probe put around it; the object itself without that."""
    return environment.env if isinstance(environment, Shell) else environment


def innermost(environment: Any) -> Any:
    """The environment under all wrappers; the object itself when it knows none."""
    try:
        return environment.unwrapped
    except Exception:
        return environment


def metadata(environment: Any, name: str) -> Any:
    """What an environment's class says of itself under a name; None where it says nothing."""
    told = getattr(environment, "metadata", None)
    return told.get(name) if isinstance(told, dict) else None


def wrappers(environment: Any) -> Iterator[Any]:
    """What is around the innermost one, the outermost first."""
    base = innermost(environment)
    for _ in range(MAX_LAYERS):
        if environment is base or environment is None:
            return
        yield environment
        try:
            environment = environment.env
        except Exception:
            return


def layers_of(environment: Any) -> List[Any]:
    """The wrappers and what is innermost, the outermost first."""
    return [*wrappers(environment), innermost(environment)]


def references_to_wrappers(environment: Any) -> List[Callable[[], Any]]:
    """Weak references to what is around the innermost one, the innermost first."""
    around: List[Callable[[], Any]] = []
    for layer in wrappers(environment):
        try:
            around.insert(0, weakref.ref(layer))
        except TypeError:  # its class has __slots__
            continue
    return around


def innermost_of(environment: Any, kind: type) -> Any:
    """The innermost layer that is an instance of `kind`: a library may have an interface of its
    own, under a wrapper that gives it a known one. The object itself when none is.
    """
    layers = layers_of(environment)
    return next((layer for layer in reversed(layers) if isinstance(layer, kind)), environment)
