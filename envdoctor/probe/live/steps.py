"""The actions and results of the first steps of some episodes: enough to see whether several
instances are played alike, and what comes after their ends. No code of the user's runs for it.
"""

from __future__ import annotations

import math
import sys
import zlib
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional

from envdoctor.model.page import (
    ACTED,
    ACTED_UNTIL,
    ACTS,
    INSTANCES,
    NOT_FINITE,
    RESET,
    STEP,
    TURNS,
    UNKNOWN_ACTS,
    WIDTH,
)
from envdoctor.probe import loaded
from envdoctor.probe.live import ends, narrow_actions
from envdoctor.probe.live.seeds import DEPTH, parts_of

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from envdoctor.probe.live.settings import Journaled


SELF, NUMBERS, FIND, RESULT = "self", "numbers", "find", "result"
_latest: List[int] = [0]  # the row of the instance that was looked at last

FIRST_STEPS = 2  # in which the layers around an instance are looked for
NUMBERS_OF_NUMPY = "fiub"  # kinds of its types
RETURNED = 2  # values of what step() returns: the observation and the reward


class WatchedPlace(int):
    """The place where a step() of an instance that is looked at is counted. What counts it adds 1
    after it came back, and pays for no question where nothing is looked at.
    """

    instances: object = None  # what follows it

    def __add__(self, other: int) -> int:
        try:
            _look(self.instances, int(self), sys._getframe(1))
        except Exception:  # nothing of ours reaches the user
            return int(self) + other
        return int(self) + other


class UnresetPlace(int):
    """That of an instance which was not reset yet: its ends alone are looked at."""

    instances: Journaled

    def __add__(self, other: int) -> int:
        try:
            _look_before(self.instances, int(self), sys._getframe(1))
        except Exception:  # nothing of ours reaches the user
            return int(self) + other
        return int(self) + other


def look_before_reset(
    instances: Journaled, row: int, key: int, rows: Optional[Dict[int, int]]
) -> None:
    """Look at the calls of step() of an instance that has a row of its own, until its reset()."""
    if rows is not None and key in rows:
        place = UnresetPlace(row + STEP)
        place.instances = instances
        rows[key] = place


def _look_before(instances: Journaled, at: int, frame: FrameType) -> None:
    values = frame.f_locals
    numbers, row = values[NUMBERS], at - at % WIDTH
    if not numbers[row + RESET]:
        numbers[row + ACTED_UNTIL] = ACTS
    has_returned = RESULT in values
    is_seen = ends.look(instances, numbers, row, has_returned, values.get(RESULT), frame)
    if is_seen or numbers[row + RESET]:
        values[FIND].__self__[id(values[SELF])] = at


def look_at(instances: Any, row: int, key: int, wrapper: Any) -> None:
    """Look at the next calls of step() of an instance that has a row of its own. `wrapper` counts
    them, and has its row by its `key`.
    """
    numbers = instances.page.numbers
    if wrapper is not None and numbers[row + INSTANCES] == 1:
        numbers[row + ACTED_UNTIL] = numbers[row + STEP] + ACTS
        wrapper.rows[key] = WatchedPlace(row + STEP)
        wrapper.rows[key].instances = instances


def _look(instances: Any, at: int, frame: FrameType) -> None:
    """A step() of an instance that is looked at; `frame` is that of what counts it."""
    values = frame.f_locals
    numbers, row = values[NUMBERS], at - at % WIDTH
    is_acted = numbers[row + STEP] <= numbers[row + ACTED_UNTIL]
    if is_acted:
        _add(numbers, row, values, frame.f_code)
    is_seen = ends.look(instances, numbers, row, RESULT in values, values.get(RESULT), frame)
    if is_seen and numbers[row + STEP] >= numbers[row + ACTED_UNTIL]:
        values[FIND].__self__[id(values[SELF])] = at
    if is_acted and RESULT in values:
        instances.sites.returned.look(instances, values[SELF], values[RESULT], frame)
        if numbers[row + STEP] <= FIRST_STEPS:
            instances.sites.counts.follow(values[SELF], frame)
    if RESULT in values:
        arguments = _arguments(values, frame.f_code)
        narrow_actions.look(instances, row, values[SELF], arguments[0] if arguments else None)
    if RESULT in values and _is_spoiled(values[RESULT], values, frame.f_code):
        numbers[row + NOT_FINITE] += 1


def _is_spoiled(returned: object, values: Mapping[str, object], code: CodeType) -> bool:
    """Return whether the reward of a step() is not a finite number, although its action is one: a
    policy may be what gives NaN.
    """
    reward = returned[RETURNED - 1] if type(returned) is tuple and len(returned) > 2 else 0.0
    return is_finite(reward) is False and is_finite(_arguments(values, code)) is True


def is_finite(value: object) -> Optional[bool]:
    """Return whether a number, an array, or all parts of a list are finite; None where that is not
    known without code of the user's.
    """
    kind = type(value)
    if kind in (int, float, bool):
        return math.isfinite(value)  # type: ignore[arg-type]
    if kind in (tuple, list):
        known = {is_finite(part) for part in value}  # type: ignore[attr-defined]
        return None if None in known else False not in known
    numpy = loaded.module("numpy")
    if numpy is None or kind.__module__ != numpy.__name__ or not hasattr(value, "dtype"):
        return None
    return bool(numpy.isfinite(value).all()) if value.dtype.kind in NUMBERS_OF_NUMPY else None


def _add(numbers: memoryview, row: int, values: Any, code: CodeType) -> None:
    """Add a step() to the digest of its instance."""
    if numbers[row + STEP] <= ACTS and _latest[0] != row:
        numbers[row + TURNS] += 1
    _latest[0] = row
    digest = _digest(_arguments(values, code), values[RESULT]) if RESULT in values else None
    if digest is None or numbers[row + ACTED] == UNKNOWN_ACTS:
        numbers[row + ACTED] = UNKNOWN_ACTS
    else:
        numbers[row + ACTED] = (numbers[row + ACTED] * 31 + digest) % (1 << 62) + 1


def _arguments(values: Mapping[str, object], code: CodeType) -> List[object]:
    """The arguments of a call, by the names that what counts it has for them: the second is that of
    a tuple where it takes any.
    """
    names = code.co_varnames
    known = [values[name] for name in names[1 : code.co_argcount]]
    return known or list(values[names[1]])  # type: ignore[call-overload]


def _digest(arguments: List[object], returned: object) -> Optional[int]:
    """A number of a call, the same in each process; None where it cannot be had."""
    values = returned[:RETURNED] if type(returned) is tuple else (returned,)
    try:
        return zlib.crc32(b"|".join([*parts_of(arguments, DEPTH), *parts_of(values, DEPTH)]))
    except LookupError:
        return None
