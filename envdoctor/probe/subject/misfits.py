"""The part of an observation that is not in its space, by the key of a Dict or the place in a
Tuple, and the reason: its shape, its dtype or its bounds.
"""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, Mapping, Tuple

MAX_TEXT = 80  # characters of a key
BOUNDS = "is from"  # how the words on a part begin whose values only are outside


def misfit(space: Any, value: object) -> str:
    """`["camera"] has dtype float64, its space uint8` of the first part that does not fit, and
    ` has dtype float64...` of a space without parts; nothing where all fit, or that is not known.
    """
    if not _parts(space):
        with contextlib.suppress(Exception):
            return "" if space.contains(value) else " " + _reason(space, value)
        return ""
    for path, inner, part in _leaves(space, value, ""):
        if isinstance(part, Missing):
            return "%s is missing" % path
        with contextlib.suppress(Exception):
            if not inner.contains(part):
                return "%s %s" % (path, _reason(inner, part))
    extra = _extra(space, value)
    return "%s is in no part of the space" % extra if extra else ""


def is_of_bounds(words: str) -> bool:
    """Return whether the words on a part say that its type, shape and dtype are right."""
    return " %s " % BOUNDS in words


class Missing:
    """Stands for a part that an observation does not have."""


def _parts(space: object) -> Tuple[Tuple[object, object], ...]:
    parts = getattr(space, "spaces", None)
    if isinstance(parts, Mapping):
        return tuple(parts.items())
    return tuple(enumerate(parts)) if isinstance(parts, (list, tuple)) else ()


def _leaves(space: object, value: Any, path: str) -> Iterator[Tuple[str, Any, Any]]:
    for key, inner in _parts(space):
        here = path + "[%s]" % repr(key)[:MAX_TEXT]
        try:
            part = value[key]
        except Exception:  # neither a dict nor a tuple, or one without it
            part = Missing()
        if _parts(inner) and not isinstance(part, Missing):
            yield from _leaves(inner, part, here)
        else:
            yield here, inner, part


def _extra(space: object, value: object) -> str:
    known = {key for key, _ in _parts(space)}
    keys = value if isinstance(value, Mapping) else ()
    return next(("[%s]" % repr(key)[:MAX_TEXT] for key in keys if key not in known), "")


def _reason(space: object, value: Any) -> str:
    """Describe what is wrong with a part: type, shape, dtype, or bounds."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    wanted, kind = getattr(space, "shape", None), getattr(space, "dtype", None)
    if shape is None or dtype is None:
        return "is a %s, not in %s" % (type(value).__name__, _short(space))
    if wanted is not None and tuple(shape) != tuple(wanted):
        return "has shape %s, its space %s" % (tuple(shape), tuple(wanted))
    if kind is not None and str(dtype) != str(kind):
        return "has dtype %s, its space %s" % (dtype, kind)
    return BOUNDS + " %s to %s, its space %s" % (value.min(), value.max(), _short(space))


def _short(space: object) -> str:
    return str(space)[:MAX_TEXT]
