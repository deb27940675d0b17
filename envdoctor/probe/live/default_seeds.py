"""Seeds of environments that nothing gives: a constructor, or a function that calls it, has a
number as the default of its seed, and a generator is made of that. No code of the user's runs for
it.
"""

from __future__ import annotations

import os
import sys
import types
import weakref
from typing import Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from envdoctor.model.page import FIRST, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.generators import digest
from envdoctor.probe.live.counted import is_counted
from envdoctor.probe.live.draws import Journaling
from envdoctor.probe.live.streams import entropy, referents
from envdoctor.probe.ownership import Ownership, frame_of

SEED, SELF = "seed", "self"
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
    frame = loaded.caller(sys._getframe(1))
    default = _of_constructor(instance, unnamed, named, frame) or _of_callers(instance, frame)
    if default is not None:
        _defaults[os.getpid(), id(instance)] = default


def generators_before(instance: object) -> Optional[List[int]]:
    """The states of the generators that were made of a default, before a reset(); None where there
    are none.
    """
    default = _default(instance)
    return None if default is None else _states(instance, default.value)


def look_at_reset(
    watched: Journaling, start: int, instance: object, before: Optional[List[int]]
) -> None:
    """A reset() came back: journal a default whose generator it drew from, once."""
    default = _default(instance)
    if default is None or not before or before == _states(instance, default.value):
        return
    del _defaults[os.getpid(), id(instance)]
    kind = type(instance)
    file = getattr(loaded.module(kind.__module__), "__file__", None) or ""
    watched.tell(
        "default-seed",
        page=watched.name,
        row=start // WIDTH - FIRST + 1,
        type=kind.__name__,
        where=os.path.abspath(file),
        method=default.name,
        number=default.value,
        message=default.owner,
        calls=default.place,
        frame=frame_of(default.caller),
        origin=frame_of(default.defined),
    )


def _default(instance: object) -> Optional[_Default]:
    default = _defaults.get((os.getpid(), id(instance)))
    return default if default is not None and default.reference() is instance else None


def _of_constructor(
    instance: object,
    unnamed: Tuple[object, ...],
    named: Mapping[str, object],
    frame: Optional[types.FrameType],
) -> Optional[_Default]:
    """A default of the constructor's own that it was not given, by the line that calls it."""
    kind: type = type(instance)
    method: object = loaded.own(kind, "__init__")
    function = method.__wrapped__ if is_counted(method) else method  # type: ignore[attr-defined]
    if type(function) is not types.FunctionType or frame is None:
        return None
    places = function.__code__.co_varnames[1 : function.__code__.co_argcount]
    passed = {*places[: len(unnamed)], *named}
    default = next((each for each in _defaults_of(function) if each[0] not in passed), None)
    return default and _made(instance, function, *default, kind.__name__, frame)


def _of_callers(instance: object, frame: Optional[types.FrameType]) -> Optional[_Default]:
    """A default of a function that makes the instance, and that the user's code calls."""
    for _ in range(MOST_FRAMES):
        caller = loaded.caller(frame.f_back) if frame is not None else None
        if frame is None or caller is None:
            return None
        function = frame.f_globals.get(frame.f_code.co_name)
        if type(function) is types.FunctionType and function.__code__ is frame.f_code:
            # To read its variables would keep them until Python 3.12: the source shows the rest.
            default = next(_defaults_of(function), None)
            if default is not None:
                return _made(instance, function, *default, function.__name__, caller)
        frame = caller
    return None


def _made(
    instance: object,
    function: types.FunctionType,
    name: str,
    value: int,
    owner: str,
    frame: types.FrameType,
) -> Optional[_Default]:
    """The default of a parameter, where it and what calls it are the user's."""
    code, caller = function.__code__, frame.f_code
    is_users = Ownership().is_users
    if not is_users(code.co_filename) or not is_users(caller.co_filename):
        return None
    defined = (code.co_filename, code.co_firstlineno, code.co_name)
    called = (caller.co_filename, frame.f_lineno, caller.co_name)
    names = code.co_varnames[: code.co_argcount]
    place = (names.index(name) if name in names else len(names)) - (names[:1] == (SELF,))
    return _Default(weakref.ref(instance), name, value, owner, place, defined, called)


def _defaults_of(function: types.FunctionType) -> Iterator[Tuple[str, int]]:
    """The parameters of a function whose name has a seed in it, and whose default is a number."""
    code, values = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    pairs = [*zip(names[len(names) - len(values) :], values)]
    for name, value in [*pairs, *(function.__kwdefaults__ or {}).items()]:
        if SEED in name.lower() and type(value) is int and value >= 0:
            yield name, value


def _states(instance: object, value: int) -> List[int]:
    """The states of the generators of numpy's that an instance holds, itself or in a list, where
    one of them was made of a number; else nothing.
    """
    held = referents(instance)
    for each in [each for each in held if type(each) in (list, tuple)]:
        held += each[:ITEMS]
    seeds = [entropy(each) for each in held[:ITEMS]]
    generators = [each for each, seed in zip(held, seeds) if seed is not None]
    return [digest(each) for each in generators] if value in seeds else []
