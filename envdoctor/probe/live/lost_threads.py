"""The threads of a process besides the one that runs: a child that it forks does not have them."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Dict, List, Optional

if TYPE_CHECKING:
    from types import FrameType


TASKS = "/proc/self/task"

THREADS, FRAMES = 8, 12  # that are noted, and of each thread the innermost


def other_threads() -> List[Dict[str, object]]:
    """Their names and frames, the most recent call first. No frame is kept."""
    frames = sys._current_frames()
    del frames[threading.get_ident()]  # its own, which would hold itself, and all that is below
    names = _names() if frames else {}
    return [
        {"name": names.get(ident, ""), "frames": _places(frame)}
        for ident, frame in list(frames.items())[:THREADS]
    ]


def native_threads() -> int:
    """The number of threads that have nothing of Python: those of libraries in C."""
    try:
        return max(0, len(os.listdir(TASKS)) - len(sys._current_frames()))
    except OSError:
        return 0


def _names() -> Dict[int, str]:
    """The names of threads by their idents, as far as they were started by `threading`."""
    known = getattr(threading, "_active", {})
    return {ident: str(getattr(thread, "_name", "")) for ident, thread in list(known.items())}


def _places(frame: Optional[FrameType]) -> List[Dict[str, object]]:
    places: List[Dict[str, object]] = []
    while frame is not None and len(places) < FRAMES:
        code = frame.f_code
        place = {"file": code.co_filename, "line": frame.f_lineno or 0, "function": code.co_name}
        places.append(place)
        frame = frame.f_back
    return places
