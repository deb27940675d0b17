"""Calls of step() after the end of an episode, in the episodes that are looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from envdoctor.model.page import (
    ACTED_UNTIL,
    ACTS,
    AT_BEGINNING,
    END_AT,
    ENDED_BY,
    ENDS,
    FIRST,
    MOST_STEPS,
    PAST,
    RUN_ON,
    STEP,
    WIDTH,
)
from envdoctor.probe import loaded
from envdoctor.probe.ownership import Ownership, frame_of

if TYPE_CHECKING:
    from types import FrameType

    from envdoctor.probe.live.settings import Journaled

BOOLS = ("bool", "bool_")
PASSES_ON = "step"  # a method that may say something else of an end than what it calls
MOST_FRAMES = 16


def look(
    instances: Journaled,
    numbers: memoryview,
    row: int,
    has_returned: bool,
    returned: object,
    frame: FrameType,
) -> bool:
    """A step() of the instance of a row comes back, or raises, in `frame`. Return whether no more
    is to be seen of its episode.
    """
    calls, began = numbers[row + STEP + 1], numbers[row + AT_BEGINNING]
    if began > numbers[row + ACTED_UNTIL] - ACTS:
        return True  # a later episode
    ending = endings(returned)
    if numbers[row + END_AT] <= began:
        if ending:
            numbers[row + END_AT], numbers[row + ENDED_BY] = calls + 1, ending
            numbers[row + ENDS] += 1
        return bool(calls - began > MOST_STEPS)
    if numbers[row + END_AT] == calls:
        if has_returned and not ending:
            numbers[row + END_AT] = began  # it was taken back, or begins anew by itself
            return True
        numbers[row + RUN_ON] += 1
        if numbers[row + RUN_ON] == 1:
            _tell(instances, row, frame)
    numbers[row + PAST] += 1
    return bool(calls - numbers[row + END_AT] > MOST_STEPS)


def endings(returned: object) -> int:
    """Bits of ENDINGS that a step() says of its episode."""
    if type(returned) is not tuple or len(returned) not in (4, 5):
        return 0
    values = returned[2:4] if len(returned) == 5 else (False, False, returned[2])
    bits = 0
    for at, value in enumerate(values):
        if type(value).__name__ in BOOLS and value:
            bits |= 1 << at
    return bits


def _tell(instances: Journaled, row: int, frame: FrameType) -> None:
    """Journal the user's line that calls step() after an end, where it saw that end."""
    calling = caller(instances, frame.f_back)
    if calling is not None:
        place = frame_of((calling.f_code.co_filename, calling.f_lineno, calling.f_code.co_name))
        instances.tell("run-on", page=instances.name, row=row // WIDTH - FIRST + 1, frame=place)


def caller(instances: Journaled, frame: Optional[FrameType]) -> Optional[FrameType]:
    """The user's frame that calls step(); None where other code is between that may say something
    else of an end: a wrapper of the user's, a vectorizer.
    """
    ownership = Ownership()
    packages = {name.partition(".")[0] for name in instances.wrappers}
    for _ in range(MOST_FRAMES):
        if frame is None:
            return None
        code = frame.f_code
        if ownership.is_users(code.co_filename):
            return None if code.co_name == PASSES_ON else frame
        if loaded.module_of(frame).partition(".")[0] not in packages:
            return None
        frame = frame.f_back
    return None
