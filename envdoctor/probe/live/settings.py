"""Settings of a trainer for its environments, and attributes that reach a wrapper alone: the
environment below has one of the same name, which keeps its value. No code of the user's runs.
"""

from __future__ import annotations

import dis
import functools
import itertools
import os
import sys
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Dict, Iterable, Iterator, Protocol, Set, Tuple

from envdoctor.model.page import FIRST, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.growth.chains import type_name
from envdoctor.probe.live.counted import preceded, replace_method
from envdoctor.probe.ownership import Ownership, frame_of, own_place

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

MOST = 64  # settings, and attributes, of a process that are journaled
BELOW, RESET, SELF = "env", "reset", "self"
LOADS = "LOAD_ATTR"
PLAIN = (bool, int, float, str)
ANY_NAME = {
    "setattr",
    "__dict__",
    "__setattr__",
    "vars",
}  # in code that sets attributes of any name
_journaled: Set[Tuple[object, ...]] = set()


class Journaled(Protocol):
    """Instances of a process, of which something is journaled."""

    hook: Hook
    name: str
    wrappers: Dict[str, bool]

    def tell(self, what: str, **keys: object) -> None:
        """Journal something."""

    def wraps(self, kind: type) -> bool:
        """Return whether a class is one that wraps environments."""


def follow_settings(watched: Journaled, hooks: object, module: ModuleType) -> None:
    """Have the settings of a framework's vectorizers journaled, with the lines that make them."""
    for name in getattr(hooks, "SETTINGS", {}).get(module.__name__, ()):
        before = functools.partial(_set, watched, name.rpartition(".")[2])
        replace_method(module, name, preceded, before)


def _set(
    watched: Journaled, method: str, vectorizer: object, *args: object, **named: object
) -> None:
    """Something is set through a vectorizer. Nothing of ours reaches the user."""
    try:
        name = next((each for each in (*args, *named.values()) if isinstance(each, str)), "")
        place = own_place(sys._getframe(1), Ownership().is_users)
        if _is_new(method, name, place):
            frame = frame_of(place)
            kind = type(vectorizer).__name__
            watched.tell("set", method=method, message=name, type=kind, frame=frame)
    except Exception as error:
        watched.hook.complain(type(error).__name__)


def look_at_settings(watched: Journaled, start: int, instance: object) -> None:
    """An instance whose row begins at `start` was reset: journal the attributes that only its
    outermost wrapper got.
    """
    wrapper = _outermost(watched, instance)
    if wrapper is None:
        return
    row, kind = start // WIDTH - FIRST + 1, type(wrapper)
    own = list(itertools.takewhile(lambda each: not _is_base(watched, each), kind.__mro__))
    for name, value in list(vars(wrapper).items()):
        if not _differ(value, _value_of(instance, name)) or not _reads(type(instance), name):
            continue
        if not (_has(kind, name) or _sets(own, name)) and _is_new(watched.name, row, name):
            keys = {"page": watched.name, "row": row, "type": kind.__name__}
            watched.tell("hidden", message=name, **keys)


def _is_base(watched: Journaled, kind: type) -> bool:
    return type_name(kind) in watched.wrappers


def _is_new(*key: object) -> bool:
    """Return whether something was not journaled yet by this process."""
    key = (os.getpid(), *key)
    is_new = key not in _journaled and len(_journaled) < MOST
    if is_new:
        _journaled.add(key)
    return is_new


def _outermost(watched: Journaled, instance: object) -> object:
    """The last of the wrappers whose reset() reset an instance, each the one below it; None where
    there is none.
    """
    below, frame = instance, sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code.co_name == RESET and code.co_varnames[:1] == (SELF,):
            owner = frame.f_locals.get(SELF)
            if loaded.own(owner, BELOW) is below and watched.wraps(type(owner)):
                below = owner
        frame = frame.f_back  # type: ignore[assignment]
    return None if below is instance else below


def _value_of(instance: object, name: str) -> object:
    """An attribute of an instance, or of its class."""
    owners = (getattr(each, "__dict__", {}) for each in (instance, *type(instance).__mro__))
    return next((owner[name] for owner in owners if name in owner), None)


def _differ(value: object, other: object) -> bool:
    return type(value) in PLAIN and type(other) in PLAIN and value != other


def _reads(kind: type, name: str) -> bool:
    """Return whether the code of a class reads an attribute of this name."""
    codes = (code for code in _codes(kind.__mro__) if name in code.co_names)
    parts = (part for code in codes for part in dis.get_instructions(code))
    return any(part.opname == LOADS and part.argval == name for part in parts)


def _has(kind: type, name: str) -> bool:
    """Return whether the code of a class has an attribute of this name."""
    return any(name in code.co_names for code in _codes(kind.__mro__))


def _sets(kinds: Iterable[type], name: str) -> bool:
    """Return whether the code of some classes may set an attribute of this name by its text."""
    return any(
        not ANY_NAME.isdisjoint(code.co_names) or name in code.co_consts for code in _codes(kinds)
    )


def _codes(kinds: Iterable[type]) -> Iterator[CodeType]:
    """The code of classes, with that of the functions in it."""
    methods = [each for owner in kinds for each in vars(owner).values()]
    methods = [getattr(each, "fget", getattr(each, "__wrapped__", each)) for each in methods]
    codes = [getattr(each, "__code__", None) for each in methods]
    while codes:
        code = codes.pop()
        if isinstance(code, CodeType):
            yield code
            codes.extend(code.co_consts)
