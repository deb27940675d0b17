"""Segments of shared memory that processes make, open and remove by multiprocessing, with the
user's lines: where two programs share one, the end of the one that opened it may remove it.
"""

from __future__ import annotations

import functools
import os
import sys
import types
from typing import TYPE_CHECKING, List, Optional, Protocol

from envdoctor.probe import loaded
from envdoctor.probe.journal import encoded
from envdoctor.probe.live.counted import passing, returning
from envdoctor.probe.ownership import Ownership, own_place

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

TRACKER = "multiprocessing.resource_tracker"
MAKES, OPENS, REMOVES = "makes", "opens", "removes"
MOST = 64  # that are journaled, of one process


class Segment(Protocol):
    """The part of a SharedMemory that is used."""

    _name: str
    _flags: int


def take(hook: Hook, module: types.ModuleType) -> None:
    """Follow the segments of a process; `module` is the one of multiprocessing that has them."""
    kind = loaded.own(module, "SharedMemory")
    made, removed = loaded.own(kind, "__init__"), loaded.own(kind, "unlink")
    journaled: List[str] = []
    if type(made) is types.FunctionType and type(removed) is types.FunctionType:
        begun = functools.partial(_made, hook, journaled)
        type.__setattr__(kind, "__init__", returning(made, begun))
        removing = functools.partial(_tell, hook, journaled, REMOVES)
        type.__setattr__(kind, "unlink", passing(removed, removing))


def _made(hook: Hook, journaled: List[str], segment: Segment, _result: None) -> None:
    use = MAKES if getattr(segment, "_flags", 0) & os.O_CREAT else OPENS
    _tell(hook, journaled, use, segment)


def _tell(hook: Hook, journaled: List[str], use: str, segment: Segment) -> None:
    """Journal a segment. Nothing of ours reaches the user."""
    try:
        if len(journaled) >= MOST:
            return
        journaled.append(use)
        place = own_place(sys._getframe(1), Ownership().is_users)
        if place is not None:
            frame = {"file": os.path.abspath(place[0]), "line": place[1], "function": place[2]}
            keys = {"what": "segment", "method": use, "where": segment._name, "frame": frame}
            hook.write(encoded("watched", {**keys, "number": _tracker(segment) or 0}))
    except Exception as error:
        hook.complain(type(error).__name__)


def _tracker(segment: Segment) -> Optional[int]:
    """The process that removes the segment when this one has ended; None where there is none of its
    own: workers of multiprocessing share that of their parent.
    """
    if getattr(segment, "_track", True):
        tracker = getattr(loaded.module(TRACKER), "_resource_tracker", None)
        pid: Optional[int] = getattr(tracker, "_pid", None)
        return pid
    return None
