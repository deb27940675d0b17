"""Objects that the garbage collector knows."""

from __future__ import annotations

import gc
from array import array

from envdoctor.probe.sensors import Context

NAME = "python-objects"
EARLY = True

_TRACKED, _LEFT_OUT = 0, 1
# What `read` found: objects that collections look at, and those that they leave out (gc.freeze).
_last = array("q", [0, 0])


def missing() -> str:
    """Return why objects cannot be counted here, or ""."""
    return "" if hasattr(gc, "get_objects") else "this interpreter does not list its objects"


def read(_context: Context) -> int:
    """Objects alive that may hold others."""
    _last[_TRACKED], _last[_LEFT_OUT] = len(gc.get_objects()), gc.get_freeze_count()
    return _last[_TRACKED] + _last[_LEFT_OUT]


def read_again(_context: Context) -> int:
    """As `read`, to be compared with its last answer. To count what collections leave out
    takes longer than the whole rest of a reading, and it can only have become less: where the
    others are as many as they were, nothing has grown.
    """
    tracked = len(gc.get_objects())
    return tracked + (_last[_LEFT_OUT] if tracked == _last[_TRACKED] else gc.get_freeze_count())


def read_amid_garbage(_context: Context) -> int:
    """As `read`, where nothing was collected: as if all that collections leave out were still
    there.
    """
    return len(gc.get_objects()) + _last[_LEFT_OUT]
