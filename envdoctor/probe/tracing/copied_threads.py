"""Threads of the object that an environment is a shallow copy of: they run its methods, and what
the copy sets does not reach them.
"""

from __future__ import annotations

import threading
import types
from typing import Dict, Set

PLAIN = (int, float, bool, complex, str, bytes, type(None), type, tuple, frozenset)
SHARED = 2  # objects that both hold, the thread among them


def thread_of_original(environment: object) -> str:
    """Return which method a thread runs of another object of the same class, or of a base of it,
    which holds the thread as the environment does, and has the same attributes:
    "Player.challenge"; else nothing.
    """
    own = _attributes(environment)
    for thread in threading.enumerate():
        method = getattr(thread, "_target", None)
        if not isinstance(method, types.MethodType) or id(thread) not in _held(own):
            continue
        owner: object = method.__self__
        others = _attributes(owner)
        is_alike = owner is not environment and issubclass(type(environment), type(owner))
        if is_alike and others.keys() == own.keys() and len(_held(own) & _held(others)) >= SHARED:
            return str(method.__func__.__qualname__)
    return ""


def _attributes(thing: object) -> Dict[str, object]:
    return getattr(thing, "__dict__", {})


def _held(attributes: Dict[str, object]) -> Set[int]:
    """The ids of the objects in some attributes."""
    return {id(value) for value in list(attributes.values()) if not isinstance(value, PLAIN)}
