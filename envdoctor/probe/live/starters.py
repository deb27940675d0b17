"""The object of the user's in whose method a process is started, and whether that still runs."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, List, Optional, Sequence, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.ownership import Ownership

if TYPE_CHECKING:
    from types import FrameType


SELF, CLOSE, OURS = "self", "close", "envdoctor"
CALLERS = 3  # that are looked at: until Python 3.12, a frame keeps what is read of its variables
INSIDE = "<"  # how the names of comprehensions begin, which have a frame until Python 3.12
STATE, STARTED = 0, 19  # among the fields of /proc/<pid>/stat after the name
OVER = ("Z", "X", "")


def starter(process: object) -> object:
    """The innermost object of the user's with a close() in whose method a line of the user's starts
    a process; None where there is none, or where a library starts it.
    """
    is_users = Ownership().is_users
    frame: Optional[FrameType] = _outside_of(process, sys._getframe(1))
    for _ in range(CALLERS):
        if frame is None or not is_users(frame.f_code.co_filename):
            return None
        owner = self_of(frame)
        if callable(getattr(type(owner), CLOSE, None)):
            return owner
        frame = _outside_of(owner or process, frame.f_back)
    return None


def owners(process: object) -> Tuple[List[object], Optional[Tuple[str, int, str]]]:
    """The objects with a close() in whose methods a process is started, the innermost first: each
    is in a method of the next, and a library may have them. And the user's line that calls the
    outermost; None where it is not the user's.
    """
    chain: List[object] = []
    frame = _outside_of(process, sys._getframe(1))
    while frame is not None:
        owner = self_of(frame) if len(chain) < CALLERS else None
        if not callable(getattr(type(owner), CLOSE, None)):
            break
        chain.append(owner)
        frame = _outside_of(owner, frame.f_back)
    if frame is None or not Ownership().is_users(frame.f_code.co_filename):
        return chain, None
    code = frame.f_code
    return chain, (os.path.abspath(code.co_filename), frame.f_lineno, code.co_name)


def place_outside(owner: object) -> Optional[Tuple[str, int, str]]:
    """The user's line that made an object, or has it start its processes: the innermost outside of
    its methods.
    """
    is_users = Ownership().is_users
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None and self_of(frame) is not owner:
        frame = frame.f_back
    frame = _outside_of(owner, frame)
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return None
    code = frame.f_code
    return os.path.abspath(code.co_filename), frame.f_lineno, code.co_name


def _outside_of(thing: object, frame: Optional[FrameType]) -> Optional[FrameType]:
    """The innermost frame that is not of a method of a thing, nor one of ours."""
    while frame is not None:
        if not (_is_ours(frame) or is_inside(frame) or self_of(frame) is thing):
            return frame
        frame = frame.f_back
    return None


def _is_ours(frame: object) -> bool:
    return loaded.module_of(frame).partition(".")[0] == OURS


def is_inside(frame: FrameType) -> bool:
    """Return whether a frame is of a comprehension."""
    name = frame.f_code.co_name
    return bool(name.startswith(INSIDE)) and name not in ("<module>", "<lambda>")


def self_of(frame: FrameType) -> object:
    """The object whose method a frame runs; None of a function."""
    code = frame.f_code
    is_method = code.co_argcount > 0 and code.co_varnames[0] == SELF
    return frame.f_locals.get(SELF) if is_method else None


def started(pid: int) -> int:
    """The start of a process, on the clock of the kernel; 0 where it is over."""
    fields = _fields(pid)
    return int(fields[STARTED]) if fields[STATE] not in OVER else 0


def is_running(worker: Tuple[int, int]) -> bool:
    """Return whether a process of this number and start is there, and has not ended."""
    pid, start = worker
    return start != 0 and started(pid) == start


def _fields(pid: int) -> Sequence[str]:
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            return file.read().rpartition(b")")[2].decode().split()
    except OSError:
        return ("",)
