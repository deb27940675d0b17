"""The layers of an environment: its wrappers, and the environment under them."""

from __future__ import annotations

import weakref
from typing import Any, Callable, Iterator, List

MAX_LAYERS = 64


class Shell:
    """A layer that the probe puts around an environment that it keeps in `env`."""

    env: object


def bare(environment: object) -> Any:
    """The environment in what the probe put around it; the object itself without that."""
    return environment.env if isinstance(environment, Shell) else environment


def innermost(environment: Any) -> Any:
    """The environment under all wrappers; the object itself when it knows none."""
    try:
        return environment.unwrapped
    except Exception:
        return environment


def metadata(environment: object, name: str) -> Any:
    """Return an entry of the metadata of an environment's class; None where it has none."""
    values = getattr(environment, "metadata", None)
    return values.get(name) if isinstance(values, dict) else None


def wrappers(environment: Any) -> Iterator[object]:
    """Yield what is around the innermost one, the outermost first."""
    base = innermost(environment)
    for _ in range(MAX_LAYERS):
        if environment is base or environment is None:
            return
        yield environment
        try:
            environment = environment.env
        except Exception:
            return


def layers_of(environment: object) -> List[object]:
    """The wrappers and what is innermost, the outermost first."""
    return [*wrappers(environment), innermost(environment)]


def references_to_wrappers(environment: object) -> List[Callable[[], object]]:
    """Weak references to what is around the innermost one, the innermost first."""
    around: List[Callable[[], object]] = []
    for layer in wrappers(environment):
        try:
            around.insert(0, weakref.ref(layer))
        except TypeError:  # its class has __slots__
            continue
    return around


def innermost_of(environment: object, kind: type) -> object:
    """The innermost layer that is an instance of `kind`: a library may have an interface of its
    own, under a wrapper that gives it a known one. The object itself when none is.
    """
    layers = layers_of(environment)
    return next((layer for layer in reversed(layers) if isinstance(layer, kind)), environment)
