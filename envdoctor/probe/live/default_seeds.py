"""Seeds of environments that nothing gives: a constructor, or a function that calls it, has a
number as the default of its seed, and a generator is made of that. No code of the user's runs for
it.
"""

from __future__ import annotations

import os
import sys
import types
import weakref
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from envdoctor.model.page import FIRST, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.generators import digest
from envdoctor.probe.live.counted import is_counted
from envdoctor.probe.live.streams import referents
from envdoctor.probe.ownership import Ownership

SEED, SELF, PLACE = "seed", "self", ("file", "line", "function")
MOST, MOST_FRAMES, ITEMS = 64, 8, 64  # instances, callers and generators that are looked at


class _Default(NamedTuple):
    """A seed that is the default of a parameter of its `owner`, with the place of that parameter
    and the user's line that calls it.
    """

    reference: Callable[[], object]
    name: str
    value: int
    owner: str
    place: int
    defined: Tuple[str, int, str]
    caller: Tuple[str, int, str]


_defaults: Dict[Tuple[int, int], _Default] = {}  # by process and id


def look_at_default(
    instance: object, unnamed: Tuple[object, ...], named: Mapping[str, object]
) -> None:
    """An instance that has a row of its own is made of these arguments."""
    if len(_defaults) >= MOST:
        return
    default = _of_constructor(instance, unnamed, named) or _of_callers(instance, sys._getframe(1))
    if default is not None:
        _defaults[os.getpid(), id(instance)] = default


def generators_before(instance: object) -> Optional[List[int]]:
    """The states of the generators that were made of a default, before a reset(); None where there
    are none.
    """
    default = _default(instance)
    return None if default is None else _states(instance, default.value)


def look_at_reset(watched: Any, start: int, instance: object, before: Optional[List[int]]) -> None:
    """A reset() came back: journal a default whose generator it drew from, once."""
    default = _default(instance)
    if default is None or not before or before == _states(instance, default.value):
        return
    del _defaults[os.getpid(), id(instance)]
    frame, origin = (dict(zip(PLACE, place)) for place in (default.caller, default.defined))
    row = start // WIDTH - FIRST + 1
    keys = {"page": watched.name, "row": row, "number": default.value, "method": default.name}
    kind = type(instance)
    file = getattr(loaded.module(kind.__module__), "__file__", None) or ""
    keys.update(type=kind.__name__, where=os.path.abspath(file), calls=default.place)
    watched.tell("default-seed", message=default.owner, frame=frame, origin=origin, **keys)


def _default(instance: object) -> Optional[_Default]:
    default = _defaults.get((os.getpid(), id(instance)))
    return default if default is not None and default.reference() is instance else None


def _of_constructor(
    instance: object, unnamed: Tuple[object, ...], named: Mapping[str, object]
) -> Optional[_Default]:
    """A default of the constructor's own that it was not given, at the user's line."""
    method: Any = type(instance).__init__
    function = method.__wrapped__ if is_counted(method) else method
    if type(function) is not types.FunctionType:
        return None
    places = function.__code__.co_varnames[1 : function.__code__.co_argcount]
    given = {*places[: len(unnamed)], *named}
    frame = _outside(sys._getframe(1))
    for name, value in _defaults_of(function):
        if name not in given and frame is not None:
            return _made(instance, function, name, value, type(instance).__name__, frame)
    return None


def _of_callers(instance: object, frame: Any) -> Optional[_Default]:
    """A default of a function that makes the instance, and that the user's code calls."""
    frame = _outside(frame)
    for _ in range(MOST_FRAMES):
        if frame is None:
            return None
        code = frame.f_code
        function = frame.f_globals.get(code.co_name)
        if type(function) is types.FunctionType and function.__code__ is code:
            for name, value in _defaults_of(function):
                caller = _outside(frame.f_back)
                if frame.f_locals.get(name) == value and caller is not None:
                    return _made(instance, function, name, value, code.co_name, caller)
        frame = frame.f_back
    return None


def _made(
    instance: object, function: Any, name: str, value: int, owner: str, frame: Any
) -> Optional[_Default]:
    code = function.__code__
    places = [
        (os.path.abspath(each.co_filename), line, each.co_name)
        for each, line in ((code, code.co_firstlineno), (frame.f_code, frame.f_lineno))
    ]
    is_users = Ownership().is_users
    if not all(is_users(file) for file, *_ in places):
        return None
    names = code.co_varnames[: code.co_argcount]
    place = names.index(name) if name in names else len(names)
    is_method = names[:1] == (SELF,)
    return _Default(weakref.ref(instance), name, value, owner, place - is_method, *places)


def _defaults_of(function: Any) -> Iterator[Tuple[str, int]]:
    """The parameters of a function whose name has a seed in it, and whose default is a number."""
    code, values = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    pairs = [*zip(names[len(names) - len(values) :], values)]
    for name, value in [*pairs, *(function.__kwdefaults__ or {}).items()]:
        if SEED in name.lower() and type(value) is int and value >= 0:
            yield name, value


def _outside(frame: Any) -> Any:
    """The innermost frame that runs no code of ours."""
    return loaded.caller(frame)


def _states(instance: object, value: int) -> List[int]:
    """The states of the generators that an instance holds, itself or in a list, where one of them
    was made of a number.
    """
    numpy = loaded.module("numpy.random")
    held = referents(instance)
    for each in [each for each in held if type(each) in (list, tuple)]:
        held += each[:ITEMS]
    generators = [each for each in held[:ITEMS] if numpy and isinstance(each, numpy.Generator)]
    seeds = [getattr(_source(each), "entropy", None) for each in generators]
    return [digest(each) for each in generators] if value in seeds else []


def _source(generator: Any) -> object:
    bits = generator.bit_generator
    return getattr(bits, "seed_seq", None) or getattr(bits, "_seed_seq", None)
