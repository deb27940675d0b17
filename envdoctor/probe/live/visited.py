"""Episodes that one function of the script resets and plays to an end, and the function that called
it plays on: an evaluation in the environment of the training. No code of the user's runs for it.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, FrozenSet, List, Optional, Tuple

from envdoctor.model.page import FIRST, INSTANCES, STEP, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.live import ends
from envdoctor.probe.live.resets import PASSES_ON
from envdoctor.probe.ownership import frame_of

# Of them, before the lines are journaled; and for each step after an end that says none: there the
# environment begins anew by itself, a planner has put it back, or its state came back by chance.
ENOUGH, RATIO = 3, 4
MOST, MOST_FRAMES = 64, 32  # visits of an instance that are looked at, and callers
SELF, NUMBERS, FIND, RESULT = "self", "numbers", "find", "result"

Line = Tuple[str, int, str]


class Visits:
    """The resets of one instance: by the function `at` last, which `begun` its episode in a line.
    Functions that called it have these `callers`. So many visits were looked at, `played_on` after
    an end, which was said again, or `gone_on` as if there had been none.
    """

    def __init__(self) -> None:
        self.at: object = None
        self.begun: Optional[Line] = None
        self.callers: FrozenSet[object] = frozenset()
        self.seen = self.played_on = self.gone_on = 0
        self.is_over = False

    @property
    def is_known(self) -> bool:
        """Return whether it is always over where it is played on."""
        return self.played_on >= max(ENOUGH, RATIO * self.gone_on)


class VisitedPlace(int):
    """The place where a step() is counted in episodes that another function began than that which
    began the one before.
    """

    instances: Any = None
    visits: Visits

    def __add__(self, other: int) -> int:
        try:
            _look(self, sys._getframe(1))
        except Exception:  # nothing of ours reaches the user
            return int(self) + other
        return int(self) + other


_visits: Dict[Tuple[int, int], Visits] = {}  # by process and row


def look_at_visit(instances: Any, row: int, key: int, wrapper: Any) -> None:
    """An instance that has a row of its own was reset; `wrapper` counts its steps, and has its row
    by its `key`.
    """
    if wrapper is None or instances.page.numbers[row + INSTANCES] != 1:
        return
    lines, codes = _callers(instances)
    if not lines:
        return
    visits = _visits.setdefault((os.getpid(), row), Visits())
    visits.is_over = False
    before, visits.at, visits.begun = visits.at, codes[0], lines[0]
    if before is codes[0]:
        return
    visits.callers = frozenset(codes[1:]) - {codes[0]}
    place = wrapper.rows.get(key)
    if type(place) is VisitedPlace:
        place = wrapper.rows[key] = int(place)
    if before is None or not visits.callers or visits.seen == MOST or type(place) is not int:
        return
    visits.seen += 1
    wrapper.rows[key] = VisitedPlace(row + STEP)
    wrapper.rows[key].instances, wrapper.rows[key].visits = instances, visits


def _callers(instances: Any) -> Tuple[List[Line], List[object]]:
    """The user's functions that run now, the innermost first: their lines, and their code."""
    lines: List[Line] = []
    codes: List[object] = []
    frame = loaded.caller(sys._getframe(1))
    for _ in range(MOST_FRAMES):
        if frame is None:
            break
        code = frame.f_code
        if instances.is_users(code.co_filename) and code.co_name not in PASSES_ON:
            lines.append((code.co_filename, frame.f_lineno, code.co_name))
            codes.append(code)
        frame = frame.f_back
    return lines, codes


def _look(place: VisitedPlace, frame: Any) -> None:
    """A step() in such an episode; `frame` is that of what counts it."""
    values, at, visits = frame.f_locals, int(place), place.visits
    has_ended = bool(ends.endings(values.get(RESULT)))
    if not visits.is_over:
        visits.is_over = has_ended
        return
    values[FIND].__self__[id(values[SELF])] = at
    caller = ends.caller(place.instances, frame.f_back)
    if caller is None or caller.f_code not in visits.callers:
        return
    known = visits.is_known
    visits.played_on += has_ended
    visits.gone_on += not has_ended
    if known != visits.is_known:
        code = caller.f_code
        keys: Dict[str, Any] = {"page": place.instances.name, "row": at // WIDTH - FIRST + 1}
        keys["frame"] = frame_of((code.co_filename, caller.f_lineno, code.co_name))
        keys["called_at"] = frame_of(visits.begun)
        place.instances.tell("visited", number=int(visits.is_known) * visits.played_on, **keys)
