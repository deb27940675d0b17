"""The parameters of a reset(), which each cycle of a leak check asks for several times: to build
`inspect.signature` took as long as ten steps of CartPole.
"""

from __future__ import annotations

import inspect
import types
import weakref
from typing import Callable, List, NamedTuple, Optional, Tuple


class Parameter(NamedTuple):
    """Name and kind of a parameter. Nothing of the function is held: not its default."""

    name: str
    kind: object  # as `inspect.Parameter` has it
    has_default: bool


class _Known(NamedTuple):
    """A method's function, and its parameters."""

    function: Callable[[], Optional[object]]  # a weak reference
    parameters: Tuple[Parameter, ...]


_last: List[_Known] = []  # one at most: what is kept here must not grow with what is counted


def of(function: Callable[..., object]) -> Tuple[Parameter, ...]:
    """The parameters of a function or method. Raises TypeError or ValueError where it does not say
    what it takes.
    """
    if not isinstance(function, types.MethodType):
        return _read(function)
    for known in _last:
        if known.function() is function.__func__:
            return known.parameters
    parameters = _read(function)
    if isinstance(function.__func__, types.FunctionType):
        _last[:] = [_Known(weakref.ref(function.__func__), parameters)]
    return parameters


def _read(function: Callable[..., object]) -> Tuple[Parameter, ...]:
    return tuple(
        Parameter(each.name, each.kind, each.default is not each.empty)
        for each in inspect.signature(function).parameters.values()
    )
