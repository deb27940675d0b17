"""What a program hands to the doctor: taken as it was meant, or refused in one sentence."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from numbers import Real
from typing import Any

from envdoctor.errors import UsageError


def texts(name: str, value: Any) -> tuple[str, ...]:
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


def text(name: str, value: Any) -> str | None:
    """A text or a path, where one is given. Raises UsageError."""
    if value is None or isinstance(value, str):
        return value
    path = os.fspath(value) if isinstance(value, os.PathLike) else None
    if not isinstance(path, str):
        raise UsageError(f"{name}={_shown(value)}: it has to be a text")
    return path


def whole(name: str, value: Any, least: int, most: int) -> int:
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


def seconds(name: str, value: Any) -> float:
    """A number, at least; whether it can be waited for is checked elsewhere. Raises UsageError."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise UsageError(f"{name}={_shown(value)}: it has to be a number of seconds, as 30 or 0.5")
    return float(value)


def _shown(value: Any) -> str:
    return repr(value)[:60]
