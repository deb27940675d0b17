"""Exceptions that the user's code raises and catches: a call that fails now and then, and says so
nowhere.
"""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Set, Tuple

if TYPE_CHECKING:
    from _typeshed import TraceFunction

Place = Tuple[str, int, str]
#: What loops and generators end by.
ORDINARY = (StopIteration, StopAsyncIteration, GeneratorExit)
METHODS = ("reset", "step")
LONGEST, MOST = 300, 16  # characters of a message, errors that are journaled
HALF_OF_THEM = 2  # calls with an error, for each that left something


class _CaughtKind:
    """Errors of one type from one line: the message of the last, where it was caught, within which
    method of the environment, and in which calls.
    """

    def __init__(self) -> None:
        self.message = ""
        self.caught: Place = ("", 0, "")
        self.within = ""
        self.calls: Set[int] = set()


class ErrorTracer:
    """Those of some calls, which are followed one after the other."""

    def __init__(self, is_users: Callable[[str], bool]) -> None:
        self._is_users = is_users
        self._kinds: Dict[Tuple[str, Place], _CaughtKind] = {}
        self._calls = 0
        self._passing: Dict[int, Tuple[BaseException, Place, Place, str]] = {}

    def follow(self, call: Callable[[], object]) -> None:
        """Make a call. What it raises itself is not counted."""
        earlier = sys.gettrace()
        sys.settrace(self._enter)
        try:
            call()
        finally:
            sys.settrace(earlier)
            passing, self._passing = self._passing, {}
        self._calls += 1
        for error, origin, caught, within in passing.values():
            kind = self._kinds.setdefault((type(error).__name__, origin), _CaughtKind())
            kind.message, kind.caught = " ".join(str(error).split())[:LONGEST], caught
            kind.within = within
            kind.calls.add(self._calls)

    def as_json(self, risen: Dict[str, Set[int]]) -> List[Dict[str, object]]:
        """The errors as the journal has them: in how many of the calls each was caught, and where
        it was raised and caught. `risen` are the calls after which there was more of what a sensor
        reads: where each of these was a call of an error, and the calls without it left nothing,
        that `left` something. Half of its calls do: where a machine is busy, some end too early to
        leave any.
        """
        return [
            {
                "type": name,
                "message": kind.message,
                "calls": len(kind.calls),
                "frame": _placed(origin),
                "caught": _placed(kind.caught),
                "within": kind.within,
                "left": [name for name, calls in risen.items() if self._leaves(kind, calls)],
            }
            for (name, origin), kind in list(self._kinds.items())[:MOST]
        ]

    def _leaves(self, kind: _CaughtKind, risen: Set[int]) -> bool:
        """Return True if there was more after calls of an error alone, and after half of them."""
        return (
            bool(risen)
            and risen <= kind.calls
            and len(kind.calls) <= HALF_OF_THEM * len(risen)
            and len(kind.calls) < self._calls
        )

    def _enter(self, frame: FrameType, _event: str, _arg: object) -> Optional[TraceFunction]:
        if not self._is_users(frame.f_code.co_filename):
            return None
        frame.f_trace_lines = False
        return self._watch

    def _watch(
        self, frame: FrameType, event: str, arg: Tuple[type, BaseException, object]
    ) -> Optional[TraceFunction]:
        if event == "exception" and not isinstance(arg[1], ORDINARY):
            place = frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
            known = self._passing.get(id(arg[1]))
            origin, within = (known[1], known[3]) if known else (place, _method(frame))
            self._passing[id(arg[1])] = arg[1], origin, place, within
        return self._watch


def _method(frame: Optional[FrameType]) -> str:
    """The innermost reset() or step() that a frame is in, or nothing."""
    while frame is not None and frame.f_code.co_name not in METHODS:
        frame = frame.f_back
    return frame.f_code.co_name if frame is not None else ""


def _placed(place: Place) -> Dict[str, object]:
    file, line, function = place
    return {"file": os.path.abspath(file), "line": line, "function": function}
