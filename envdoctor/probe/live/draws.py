"""The lines in the code of an environment that draw from a random generator of its process. No code
of the user's runs for it.
"""

from __future__ import annotations

import dis
import os
from types import CodeType, FunctionType, ModuleType
from typing import Any, Dict, Iterator, Protocol, Set, Tuple

from envdoctor.model.page import FIRST, MOVED, NUMPY, PYTHON, SOURCES, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.live.counted import is_counted
from envdoctor.probe.ownership import Ownership, frame_of

MOST = 3  # lines of a class
#: Where the generators of a process are, by their sources.
GENERATORS = {PYTHON: ("random", "_inst"), NUMPY: ("numpy.random.mtrand", "_rand")}
EPISODE = ("reset", "step", "_reset", "_step")  # methods that play one, also those of TorchRL
BOUND = ("builtin_function_or_method", "method", "cython_function_or_method")
KEEPING = ("seed", "getstate", "setstate", "get_state", "set_state")  # methods that do not draw
NAMES, ATTRIBUTES = ("LOAD_GLOBAL", "LOAD_NAME"), ("LOAD_ATTR", "LOAD_METHOD")
SILENT = ("PUSH_NULL", "CACHE", "EXTENDED_ARG")
_journaled: Set[Tuple[int, int]] = set()


class Journaling(Protocol):
    """Instances of a process, of which something is journaled."""

    name: str

    def tell(self, what: str, **keys: object) -> None:
        """Journal something."""


def look_at_draws(watched: Journaling, numbers: memoryview, start: int, instance: object) -> None:
    """An instance whose row begins at `start` was reset: journal the lines of its class that draw
    from generators of the process which were drawn from, once.
    """
    kind = type(instance)
    moved = [source for source in GENERATORS if numbers[start + MOVED] >> source & 1]
    key = (os.getpid(), id(kind))
    if not moved or key in _journaled:
        return
    _journaled.add(key)
    row = start // WIDTH - FIRST + 1
    for source in moved:
        for place in list(drawing_lines(kind, source))[:MOST]:
            keys = {"page": watched.name, "row": row, "message": SOURCES[source]}
            watched.tell("draws", frame=frame_of(place), **keys)


def drawing_lines(
    kind: type, source: int, starts: Tuple[str, ...] = EPISODE
) -> Iterator[Tuple[str, int, str]]:
    """The places in the methods of the user's classes that draw from a source, and that one of some
    methods reaches.
    """
    module, name = GENERATORS[source]
    generator = getattr(loaded.module(module), name, None)
    is_users, reached = Ownership().is_users, _reached(kind, starts)
    for owner in kind.__mro__ if generator is not None else ():
        for value in vars(owner).values():
            function = _function(value)
            if type(function) is not FunctionType or function.__name__ not in reached:
                continue
            if is_users(function.__code__.co_filename):
                for line in _lines(function.__code__, function.__globals__, generator):
                    yield function.__code__.co_filename, line, function.__qualname__


def _reached(kind: type, starts: Tuple[str, ...]) -> Set[str]:
    """The names of methods, and of those that they call, or that what they call does."""
    names: Set[str] = set()
    waiting = [*starts]
    while waiting:
        name = waiting.pop()
        if name in names:
            continue
        names.add(name)
        for owner in kind.__mro__:
            function = _function(vars(owner).get(name))
            if type(function) is FunctionType:
                waiting += _named(function.__code__)
    return names


def _named(code: CodeType) -> Iterator[str]:
    """The names that a function uses, and those in it do."""
    yield from code.co_names
    for inner in code.co_consts:
        if type(inner) is CodeType:
            yield from _named(inner)


def _function(value: object) -> object:
    """The function behind a method of a class, as it was before it was counted."""
    if type(value) in (staticmethod, classmethod):
        value = value.__func__  # type: ignore[attr-defined]
    return value.__wrapped__ if is_counted(value) else value  # type: ignore[attr-defined]


def _lines(code: CodeType, names: Dict[str, object], generator: object) -> Iterator[int]:
    """The lines of a function, and of those in it, that load a method of a generator."""
    starts, line, value = dict(dis.findlinestarts(code)), code.co_firstlineno, None
    for part in dis.get_instructions(code):
        line = starts.get(part.offset) or line
        if part.opname in NAMES:
            value = names.get(part.argval)
        elif part.opname in ATTRIBUTES and type(value) is ModuleType:
            value = vars(value).get(part.argval)
        elif part.opname not in SILENT:
            value = None
        if _draws(value, generator):
            yield line
            value = None
    for inner in code.co_consts:
        if type(inner) is CodeType:
            yield from _lines(inner, names, generator)


def _draws(value: Any, generator: object) -> bool:
    """Return whether a value is a method of a generator that draws from it."""
    return (
        type(value).__name__ in BOUND
        and getattr(value, "__self__", None) is generator
        and value.__name__ not in KEEPING
    )
