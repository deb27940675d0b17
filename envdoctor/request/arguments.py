"""Arguments of programs: converted, or refused in one sentence."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from numbers import Real
from pathlib import Path
from typing import Any

from envdoctor.errors import UsageError
from envdoctor.request.options import BOUNDS, Options


def texts(name: str, value: object) -> tuple[str, ...]:
    """The words of an argument that takes several: one text is one of them, or some with commas
    between. Raises UsageError.
    """
    if value is None:
        return ()
    every = (
        (value,)
        if isinstance(value, str)
        else tuple(value)
        if isinstance(value, Iterable)
        else None
    )
    if every is None or not all(isinstance(item, str) for item in every):
        raise UsageError(f"{name}={_shown(value)}: it has to be a text, or a list of texts")
    return tuple(
        dict.fromkeys(word.strip() for text in every for word in text.split(",") if word.strip())
    )


def text(name: str, value: object) -> str | None:
    """A text or a path, where one is given. Raises UsageError."""
    if value is None or isinstance(value, str):
        return value
    path = os.fspath(value) if isinstance(value, os.PathLike) else None
    if not isinstance(path, str):
        raise UsageError(f"{name}={_shown(value)}: it has to be a text")
    return path


def path(name: str, value: object) -> Path | None:
    """A path, where one is given. Raises UsageError."""
    text_of_path = text(name, value)
    return None if text_of_path is None else Path(text_of_path)


def flag(name: str, value: object) -> bool:
    """True or False, numpy's as well; a text such as "no" would be True. Raises UsageError."""
    if hasattr(value, "__len__"):
        raise UsageError(f"{name}={_shown(value)}: it has to be True or False")
    return bool(value)


def counted(name: str, value: object) -> int:
    """A whole number within the bounds of an option. Raises UsageError."""
    return integer(name, value, *BOUNDS[name])


def integer(name: str, value: object, least: int, most: int) -> int:
    """A whole number within bounds, numpy's as well. Raises UsageError."""
    number = (
        operator.index(value)
        if hasattr(value, "__index__") and not isinstance(value, bool)
        else least - 1
    )
    if not least <= number <= most:
        raise UsageError(
            f"{name}={_shown(value)}: it has to be a whole number from {least} to {most}"
        )
    return number


def seconds(name: str, value: object) -> float:
    """A number, at least; whether it can be waited for is checked elsewhere. Raises UsageError."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise UsageError(f"{name}={_shown(value)}: it has to be a number of seconds, as 30 or 0.5")
    return float(value)


def duration(name: str, value: object) -> str | None:
    """A time as a text such as "5m", or a number of seconds. Raises UsageError."""
    if value is None or isinstance(value, str):
        return value
    return str(seconds(name, value))


def options(kind: type[Options], values: Mapping[str, object]) -> dict[str, Any]:
    """Those of the arguments that are options of an examination, each of its type. Raises
    UsageError.
    """
    names = (each.name for each in fields(kind))
    return {name: READERS[name](name, values[name]) for name in names if name in READERS}


def _cycles(name: str, value: object) -> int | None:
    """The highest number of cycles; 0 is as many as it takes."""
    return integer(name, value, 0, BOUNDS[name][1]) or None


def _capacity(name: str, value: object) -> int | None:
    return None if value is None else counted(name, value)


#: How an option of a program is read; the others are read where they are handed over.
READERS: Mapping[str, Callable[[str, object], object]] = {
    "anonymous": flag,
    "budget": duration,
    "capacity": _capacity,
    "cold": flag,
    "cycles": _cycles,
    "episodes": counted,
    "faults": flag,
    "ignore": texts,
    "jobs": counted,
    "managers": texts,
    "memory_limit": text,
    "python": text,
    "quick": flag,
    "save_memray": path,
    "seed": counted,
    "select": texts,
    "service_count": text,
    "start_methods": texts,
    "steps": counted,
    "storage": texts,
    "thorough": flag,
    "time_budget": seconds,
    "timeout": seconds,
}


def _shown(value: object) -> str:
    return repr(value)[:60]
