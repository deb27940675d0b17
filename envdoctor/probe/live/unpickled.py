"""The part of an object that kept it from going to another process."""

from __future__ import annotations

import re
from types import FrameType
from typing import Any, Callable, Iterable, List, Set, Tuple

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
        if isinstance(each, (list, tuple)):
            rest.extend((part, name) for part in each)
        elif isinstance(each, dict):
            rest.extend((part, name) for part in each.values())
        elif type(getattr(each, "__dict__", None)) is dict and not isinstance(each, type):
            owner = type(each).__name__
            rest.extend((part, "%s.%s" % (owner, key)) for key, part in vars(each).items())
    return ""
