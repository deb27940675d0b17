"""The states of random generators, as numbers: equal where the states are, in any process."""

from __future__ import annotations

import types
from typing import Any
from zlib import crc32

from envdoctor.probe import loaded

#: Types of most of what modules and instances hold, by id: a class may have a hash of its own.
_OTHERS = frozenset(
    map(
        id,
        (
            types.FunctionType,
            types.BuiltinFunctionType,
            types.ModuleType,
            type,
            type(None),
            bool,
            int,
            float,
            str,
            tuple,
            list,
            dict,
        ),
    )
)


def digest(value: Any) -> int:
    """A number of a generator's state; 0 for any other value. Nothing of the value's own runs."""
    kind = type(value)
    if id(kind) in _OTHERS:
        return 0
    python, numpy, torch = (loaded.module(name) for name in ("random", "numpy.random", "torch"))
    try:
        if python is not None and issubclass(kind, python.Random):
            return digest_of(python.Random.getstate(value))
        if numpy is not None and issubclass(kind, numpy.Generator):
            return digest_of(plain(value.bit_generator.state))
        if numpy is not None and issubclass(kind, numpy.RandomState):
            return digest_of(plain(value.get_state(legacy=False)))
        if torch is not None and issubclass(kind, torch.Generator):
            return digest_of(value.get_state().numpy().tobytes())
    except Exception:  # one that does not tell its state; a library is half imported
        return 0
    return 0


def digest_of(state: object) -> int:
    """A number of a state, never 0."""
    return crc32(repr(state).encode()) + 1


def plain(state: object) -> object:
    """The state of one of numpy's generators as values that can be hashed, and written."""
    if isinstance(state, dict):
        return tuple((key, plain(value)) for key, value in sorted(state.items()))
    return state.tobytes() if hasattr(state, "tobytes") else state
