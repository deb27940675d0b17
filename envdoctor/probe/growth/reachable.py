"""The bytes of the Python objects that an object leads to, as they say themselves."""

from __future__ import annotations

import ctypes
import gc
import sys
import types
from typing import List, Optional, Set

MAX_OBJECTS = 200_000

#: What belongs to the program, or to a call, and to no instance.
_PROGRAM = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.CodeType,
    types.FrameType,
)

#: The libraries whose arrays have their numbers elsewhere, and know how many bytes these are.
_ARRAYS = ("numpy", "torch", "jax", "jaxlib", "pyarrow")


def reachable_bytes(root: object) -> Optional[int]:
    """The bytes of all that an object leads to; None where that is too much to look at."""
    values = below(root)
    return None if values is None else sum(map(size_of, values))


def below(root: object) -> Optional[List[object]]:
    """An object and all that it leads to; None where that is too much to look at."""
    visited: Set[int] = {id(root)}
    waiting: List[object] = [root]
    values: List[object] = []
    while waiting:
        value = waiting.pop()
        values.append(value)
        for part in _parts(value):
            if id(part) not in visited:
                visited.add(id(part))
                waiting.append(part)
        if len(visited) > MAX_OBJECTS:
            return None
    return values


def _parts(value: object) -> List[object]:
    base = getattr(value, "base", None) if _is_array(value) else None
    parts = gc.get_referents(value) + ([] if base is None else [base])
    return [part for part in parts if not issubclass(type(part), _PROGRAM)]


def _is_array(value: object) -> bool:
    return type(value).__module__.partition(".")[0] in _ARRAYS


def array_bytes(value: object) -> int:
    """The bytes of an array, wherever they are."""
    if isinstance(value, (ctypes.Array, ctypes.Structure)):
        return ctypes.sizeof(value)
    number = getattr(value, "nbytes", 0) if _is_array(value) else 0
    return number if isinstance(number, int) else 0


def size_of(value: object) -> int:
    """The bytes of an object by itself."""
    own = isinstance(type(value).__sizeof__, types.FunctionType)  # it may answer anything
    size = object.__sizeof__(value) if own else sys.getsizeof(value, 0)
    return max(size, array_bytes(value))
