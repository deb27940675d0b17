"""First episodes of instances that are reset again after a step or two: the user's lines that reset
them. No code of the user's runs for it.
"""

from __future__ import annotations

import os
import sys
from typing import Dict, List, Tuple

from envdoctor.model.page import END_AT, FIRST, INSTANCES, RESET, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.live.draws import Journaling
from envdoctor.probe.live.seeds import steps_of
from envdoctor.probe.ownership import Ownership, frame_of

MOST_STEPS = 2  # of an episode that is given up
MOST_FRAMES, MOST = 32, 64  # callers that are looked at, and instances

Callers = List[Tuple[str, int, str]]
_first: Dict[Tuple[int, int], Callers] = {}  # by process and row


def look_at_episode(watched: Journaling, numbers: memoryview, row: int, seed: object) -> None:
    """An instance whose row begins at `row` was reset: the first time, or the second time after few
    steps and no end.
    """
    key, resets = (os.getpid(), row), numbers[row + RESET]
    if resets == 1 and numbers[row + INSTANCES] == 1 and len(_first) < MOST:
        _first[key] = _callers()
        return
    first = _first.pop(key, None) if resets > 1 else None
    steps = steps_of(numbers, row)
    if not first or seed is not None or not 0 < steps <= MOST_STEPS or numbers[row + END_AT]:
        return
    pairs = (pair for pair in zip(first, _callers()) if pair[0] != pair[1])
    given_up, again = next(pairs, (None, None))
    if given_up is not None and again is not None:
        frame, called_at = frame_of(given_up), frame_of(again)
        keys = {"page": watched.name, "row": row // WIDTH - FIRST + 1, "number": steps}
        watched.tell("given-up-episode", frame=frame, called_at=called_at, **keys)


def _callers() -> Callers:
    """The user's lines that run now, the innermost first."""
    is_users, callers = Ownership().is_users, []
    frame = loaded.caller(sys._getframe(1))
    for _ in range(MOST_FRAMES):
        if frame is None:
            break
        code = frame.f_code
        if is_users(code.co_filename):
            callers.append((code.co_filename, frame.f_lineno, code.co_name))
        frame = frame.f_back
    return callers
