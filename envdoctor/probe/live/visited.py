"""Episodes that one function of the script resets and plays to an end, and the function that called
it plays on: an evaluation in the environment of the training. No code of the user's runs for it.
"""

from __future__ import annotations

import contextlib
import os
import sys
from types import CodeType, FrameType
from typing import Any, Dict, FrozenSet, Iterator, Optional, Protocol, Tuple

from envdoctor.model.page import FIRST, INSTANCES, STEP, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.live import ends
from envdoctor.probe.live.counted import is_counted
from envdoctor.probe.live.resets import PASSES_ON, ResetInstances
from envdoctor.probe.live.settings import Journaled
from envdoctor.probe.live.steps import FIND, RESULT, SELF
from envdoctor.probe.ownership import frame_of

# Of them, before the lines are journaled; and for each step after an end that says none: there the
# environment begins anew by itself, a planner has put it back, or its state came back by chance.
ENOUGH, RATIO = 3, 4
STEPS = "step"
MOST, MOST_FRAMES = 64, 32  # visits of an instance that are looked at, and callers


class VisitedInstances(ResetInstances, Journaled, Protocol):
    """Instances of a process, which remembers whose files are."""


class VisitedInstance:
    """The resets of one instance: the `function` that made the last one, at a line, and those that
    called it. So many visits were looked at, `played_on` after an end, which was said again, or
    `gone_on` as if there had been none.
    """

    function: Optional[CodeType] = None
    line = 0
    callers: FrozenSet[CodeType] = frozenset()
    looks = played_on = gone_on = 0
    is_over = False

    def is_known(self) -> bool:
        """Return whether it is always over where it is played on."""
        return self.played_on >= max(ENOUGH, RATIO * self.gone_on)


class VisitedPlace(int):
    """The place where a step() is counted in episodes that another function began than that which
    began the one before.
    """

    instances: VisitedInstances
    visited: VisitedInstance

    def __add__(self, other: int) -> int:
        with contextlib.suppress(Exception):  # nothing of ours reaches the user
            _look(self, sys._getframe(1))
        return int(self) + other


_visited: Dict[Tuple[int, int], VisitedInstance] = {}  # by process and row


def look_at_visit(
    instances: VisitedInstances, numbers: memoryview, row: int, instance: object
) -> None:
    """An instance was reset. Nothing of ours reaches the user."""
    try:
        kinds = (vars(kind).get(STEPS) for kind in type(instance).__mro__)
        method: Any = next(filter(None, kinds), None)
        if numbers[row + INSTANCES] == 1 and is_counted(method):
            _begin(instances, row, id(instance), method.rows)
    except Exception as error:
        instances.hook.complain(type(error).__name__)


def _begin(instances: VisitedInstances, row: int, key: int, rows: Dict[int, int]) -> None:
    """An episode begins; `rows` have where steps are counted, by the `key` of their instance."""
    frames = _callers(instances)
    frame = next(frames, None)
    if frame is None:
        return
    visited = _visited.setdefault((os.getpid(), row), VisitedInstance())
    before, code = visited.function, frame.f_code
    visited.is_over, visited.function, visited.line = False, code, frame.f_lineno
    if before is code:
        return
    visited.callers = frozenset(each.f_code for each in frames) - {code}
    if type(rows.get(key)) is VisitedPlace:
        rows[key] = int(rows[key])
    if before and visited.callers and visited.looks < MOST and type(rows.get(key)) is int:
        visited.looks += 1
        place = rows[key] = VisitedPlace(row + STEP)
        place.instances, place.visited = instances, visited


def _callers(instances: VisitedInstances) -> Iterator[FrameType]:
    """The user's functions that run now, the innermost first, less those that hand reset() on."""
    frame = loaded.caller(sys._getframe(1))
    for _ in range(MOST_FRAMES):
        if frame is None:
            break
        code = frame.f_code
        if code.co_name not in PASSES_ON and instances.is_users(code.co_filename):
            yield frame
        frame = frame.f_back


def _look(place: VisitedPlace, frame: FrameType) -> None:
    """A step() in such an episode; `frame` is that of what counts it."""
    values, visited, instances = frame.f_locals, place.visited, place.instances
    has_ended = bool(ends.endings(values.get(RESULT)))
    if not visited.is_over:
        visited.is_over = has_ended
        return
    values[FIND].__self__[id(values[SELF])] = int(place)
    caller, begun = ends.caller(instances, frame.f_back), visited.function
    if caller is None or begun is None or caller.f_code not in visited.callers:
        return
    known = visited.is_known()
    visited.played_on += has_ended
    visited.gone_on += not has_ended
    if known != visited.is_known():
        code, number = caller.f_code, 0 if known else visited.played_on
        instances.tell(
            "visited",
            page=instances.name,
            row=place // WIDTH - FIRST + 1,
            number=number,
            frame=frame_of((code.co_filename, caller.f_lineno, code.co_name)),
            called_at=frame_of((begun.co_filename, visited.line, begun.co_name)),
        )
