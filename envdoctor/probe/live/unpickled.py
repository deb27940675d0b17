"""The part of an object that kept it from going to another process."""

from __future__ import annotations

import re
from types import FrameType, FunctionType
from typing import Any, Callable, Iterable, List, Set, Tuple

from envdoctor.probe import loaded

REDUCTION, ARGUMENT = "multiprocessing.reduction", "obj"  # its functions that pickle, and for what
NAMED = re.compile(
    r"(?:pickle|get) (?:local object )?(?:<class |<function )?'?([\w.<>]+)'?(?: object| at |>|$)"
)
#: The error of ctypes, which names no class, and the bases and classes of what it is of.
POINTERS = "ctypes objects containing pointers"
POINTING = frozenset(("_Pointer", "CFuncPtr", "c_void_p", "c_char_p", "c_wchar_p"))
INSIDE = "<"  # in the name of a lambda, and of a function within a function
MOST = 4096  # objects that are looked at
Place = Tuple[FrameType, int]


def sent(
    error: BaseException, entries: Iterable[Place], is_users: Callable[[str], bool]
) -> Tuple[str, List[Place]]:
    """The part that an exception says cannot be pickled, as `Arm.simulator`, where it is known; and
    the user's line that sends it. Nothing of what was not to go to another process.
    """
    lines: List[Place] = []
    for frame, line in entries:
        if loaded.module_of(frame) == REDUCTION and ARGUMENT in frame.f_code.co_varnames:
            return _part(frame.f_locals.get(ARGUMENT), _is_wanted(str(error)))[0], lines[-1:]
        if is_users(frame.f_code.co_filename):
            lines.append((frame, line))
    return "", []


def part_of(error: BaseException, entries: Iterable[Place]) -> object:
    """The object that an exception says cannot be pickled; None where it is not known."""
    for frame, _ in entries:
        if loaded.module_of(frame) == REDUCTION and ARGUMENT in frame.f_code.co_varnames:
            return _part(frame.f_locals.get(ARGUMENT), _is_wanted(str(error)))[1]
    return None


def _is_wanted(message: str) -> Callable[[object], bool]:
    """Return what knows the object, by its class, or a function that a message of pickle names."""
    if POINTERS in message:
        return lambda obj: any(each.__name__ in POINTING for each in type(obj).__mro__)
    named = NAMED.search(message)
    path = named.group(1) if named else ""
    wanted = path.rpartition(".")[2]

    def is_wanted(obj: object) -> bool:
        if type(obj) is FunctionType and INSIDE in path:
            return obj.__qualname__ == path
        return type(obj).__name__ == wanted

    return is_wanted


def _part(obj: object, is_wanted: Callable[[object], bool]) -> Tuple[str, object]:
    """The attribute, at the smallest depth, that has an object of a class, and that object."""
    rest: List[Tuple[Any, str]] = [(obj, "")]
    visited: Set[int] = set()
    for each, name in rest:
        if name and is_wanted(each):
            return name, each
        if id(each) in visited or len(visited) > MOST:
            continue
        visited.add(id(each))
        if type(each) in (list, tuple):
            rest.extend((part, name) for part in each)
        elif type(each) is dict:
            rest.extend((part, _within(name, key)) for key, part in each.items())
        else:  # no code of the user's runs: neither its __getattr__() nor its properties
            owner, own = type(each).__name__, loaded.attributes(each)
            rest.extend((part, "%s.%s" % (owner, key)) for key, part in own.items())
    return "", None


def _within(name: str, key: object) -> str:
    """`EnvSpec.kwargs['reward']`; the name of the dict where its key is not text."""
    return "%s[%r]" % (name, key) if name and type(key) is str else name
