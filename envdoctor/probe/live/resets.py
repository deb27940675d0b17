"""Resets that the script makes right after another one, without a step between. No code of the
user's runs for it.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Optional, Protocol

from envdoctor.model.page import FIRST, IDLE, INSTANCES, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.live.draws import Journaling
from envdoctor.probe.live.hosted_twice import HostedInstances, instances_of, look_at_hosts
from envdoctor.probe.live.starters import is_inside, self_of
from envdoctor.probe.ownership import frame_of

ENOUGH = 5  # of them, before the line is journaled: many trainings look at one observation first
MOST_FRAMES = 16
#: Functions of wrappers and vectorizers that hand reset() on: by other names, a library decides.
RESETS = frozenset(("reset", "_reset", "reset_async", "reset_wait"))
PASSES_ON = frozenset((*RESETS, "step"))  # of the user's, which may do so on purpose
HELPER = "reset"  # in the names of the script's functions that reset for others


class ResetInstances(Journaling, HostedInstances, Protocol):
    """Instances of a process, which remembers whose files are."""

    def is_users(self, file: str) -> bool:
        """Return whether a file is the user's."""


def look_again(watched: ResetInstances, numbers: memoryview, row: int) -> None:
    """A plain reset() of the instance of a row begins, and the last one was followed by no step."""
    try:
        outer = loaded.caller(sys._getframe(1))
        look_at_hosts(watched, outer)
        caller = _caller(watched, outer)
        if caller is None or numbers[row + INSTANCES] != 1:
            return
        numbers[row + IDLE] += 1
        if numbers[row + IDLE] == ENOUGH:
            code = caller.f_code
            frame = frame_of((code.co_filename, caller.f_lineno, code.co_name))
            number = row // WIDTH - FIRST + 1
            watched.tell("reset-again", page=watched.name, row=number, frame=frame)
    except Exception:
        return  # nothing of ours reaches the user


def _caller(watched: ResetInstances, frame: Optional[FrameType]) -> Optional[FrameType]:
    """The script's frame that resets, or calls the helper that does; None where a wrapper of the
    user's does, or a library by itself, as one does that evaluates. What a vectorizer of the user's
    is asked for is not its own doing.
    """
    helper: Optional[FrameType] = None
    for _ in range(MOST_FRAMES):
        if frame is None:
            break
        name = frame.f_code.co_name
        if not watched.is_users(frame.f_code.co_filename):
            if helper is not None or name not in RESETS:
                break
        elif name in PASSES_ON:
            if name not in RESETS or not instances_of(watched, self_of(frame)):
                return None
        elif not is_inside(frame):
            if HELPER not in name:
                return frame
            helper = helper or frame
        frame = loaded.caller(frame.f_back)
    return helper
