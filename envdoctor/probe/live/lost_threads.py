"""The threads of a process besides the one that runs: a child that it forks does not have them."""

from __future__ import annotations

import functools
import os
import sys
import threading
from typing import TYPE_CHECKING, Dict, List, Optional, Tuple

from envdoctor.probe.journal import encoded

if TYPE_CHECKING:
    from types import FrameType

    from envdoctor.probe.live.boot import Hook

TASKS = "/proc/self/task"

THREADS, FRAMES = 8, 12  # that are noted, and of each thread the innermost

_lost: List[Tuple[List[Dict[str, object]], int]] = []  # at the last fork: of Python, and others


def follow(hook: Hook) -> None:
    """Have each child that is forked journal the threads of its parent."""
    if not _lost:
        _lost.append(([], 0))
        os.register_at_fork(before=functools.partial(_forking, hook))
        hook.after_fork.append(functools.partial(_forked, hook))


def _forking(hook: Hook) -> None:
    """In a parent, before a fork. Nothing of ours reaches the user."""
    try:
        _lost[0] = other_threads(), native_threads()
    except Exception as error:
        hook.complain(type(error).__name__)


def _forked(hook: Hook) -> None:
    """In a child."""
    threads, number = _lost[0]
    if threads or number:
        keys = {"what": "fork", "lost_threads": threads, "number": number}
        hook.write(encoded("watched", keys))
        _lost[0] = [], 0


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
