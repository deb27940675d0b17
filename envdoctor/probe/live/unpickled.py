"""The part of an object that kept it from going to another process."""

from __future__ import annotations

import re
from types import FrameType
from typing import Any, Callable, Dict, Iterable, List, Set, Tuple

from envdoctor.probe import loaded

REDUCTION, ARGUMENT = "multiprocessing.reduction", "obj"  # its functions that pickle, and for what
NAMED = re.compile(r"pickle '?([\w.]+)'? object")
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
            named = NAMED.search(str(error))
            wanted = named.group(1).rpartition(".")[2] if named else ""
            return _part(frame.f_locals.get(ARGUMENT), wanted), lines[-1:]
        if is_users(frame.f_code.co_filename):
            lines.append((frame, line))
    return "", []


def _part(obj: Any, wanted: str) -> str:
    """The attribute, at the smallest depth, that has an object of a class."""
    rest: List[Tuple[Any, str]] = [(obj, "")]
    visited: Set[int] = set()
    for each, name in rest:
        if name and type(each).__name__ == wanted:
            return name
        if id(each) in visited or len(visited) > MOST:
            continue
        visited.add(id(each))
        if type(each) in (list, tuple):
            rest.extend((part, name) for part in each)
        elif type(each) is dict:
            rest.extend((part, name) for part in each.values())
        else:  # no code of the user's runs: neither its __getattr__() nor its properties
            owner, attributes = type(each).__name__, _attributes(each)
            rest.extend((part, "%s.%s" % (owner, key)) for key, part in attributes.items())
    return ""


def _attributes(obj: Any) -> Dict[str, Any]:
    try:
        values = object.__getattribute__(obj, "__dict__")
    except AttributeError:
        return {}
    return values if type(values) is dict else {}
