"""Exceptions as values, so that nothing of the environment stays alive through a traceback."""

from __future__ import annotations

import dis
import errno
import linecache
import traceback
from types import CodeType
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from envdoctor.probe.ownership import Ownership, is_ours
from envdoctor.probe.surviving import message_of, relay, shape

MAX_FRAMES = 30
MAX_CAUSES = 8


class ErrorLine(NamedTuple):
    """A line of code as the journal has it (`model.errors.Frame`)."""

    file: str
    line: Optional[int]
    function: str
    text: str


def error_value(error: BaseException, ownership: Ownership) -> Dict[str, object]:
    """The error value (see model.events) of an exception, without our own frames."""
    frames = _frames(error)[-MAX_FRAMES:] + _unparsed(error)
    users = [index for index, frame in enumerate(frames) if ownership.is_users(frame.file)]
    lost = relay(error)
    return {
        "type": "%s.%s" % (type(error).__module__, type(error).__qualname__),
        "message": message_of(error),
        "frames": [frame._asdict() for frame in frames],
        "user": users[-1] if users else None,
        "cause": _cause_of(error),
        "last": all(_is_last(*place) for place in _places(error)),
        **({"address_in_use": True} if _meets_used_address(error) else {}),
        **(dict(_shape_of(error), relay={lost.step: lost.problem}) if lost else {}),
    }


def _meets_used_address(error: BaseException) -> bool:
    """Return whether it was raised because an address is in use, or while that was handled."""
    each: Optional[BaseException] = error
    for _ in range(MAX_CAUSES):
        if each is None:
            return False
        if isinstance(each, OSError) and each.errno == errno.EADDRINUSE:
            return True
        each = each.__cause__ or each.__context__
    return False


def _frames(error: BaseException) -> List[ErrorLine]:
    """The lines of its traceback, without our own. Python keeps each file that it reads them from,
    which would be growth between two readings of the heap: 700 objects for a file of 700 lines.
    """
    known = set(linecache.cache)
    try:
        return [
            ErrorLine(frame.filename, frame.lineno, frame.name, frame.line or "")
            for frame in traceback.extract_tb(error.__traceback__)
            if not is_ours(frame.filename)
        ]
    finally:
        for file in set(linecache.cache) - known:
            linecache.cache.pop(file, None)  # a thread of the environment may have been first


def _places(error: BaseException) -> Iterator[Tuple[CodeType, int]]:
    """(code, line) of the traceback, without our own."""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if not is_ours(frame.f_code.co_filename):
            yield frame.f_code, line


def _is_last(code: CodeType, line: int) -> bool:
    """Return whether a function that stops in this line had no other line left to run. One with a
    loop may have come to its last line for the first time only.
    """
    loops = any(
        step.opname == "FOR_ITER"
        or ("JUMP" in step.opname and isinstance(step.argval, int) and step.argval < step.offset)
        for step in dis.get_instructions(code)
    )
    lines = [start for _, start in dis.findlinestarts(code) if start is not None]
    return not loops and line == max(lines, default=line)


def _unparsed(error: BaseException) -> List[ErrorLine]:
    """The line that could not be parsed: it never ran, so it is not a frame of the traceback."""
    file, line = getattr(error, "filename", None), getattr(error, "lineno", None)
    if not isinstance(error, SyntaxError) or not isinstance(file, str) or not isinstance(line, int):
        return []
    return [ErrorLine(file, line, "", str(error.text or "").strip())]


def _shape_of(error: BaseException) -> Dict[str, object]:
    try:
        return shape(error)
    except BaseException:
        return {}


def _cause_of(error: BaseException) -> str:
    """`KeyError: 'x'` of what it was raised from, or nothing."""
    cause = error.__cause__
    if cause is None:
        return ""
    message = message_of(cause)
    return type(cause).__name__ + (": " + message if message else "")
