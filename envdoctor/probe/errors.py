"""Exceptions as values, so that nothing of the environment stays alive through a traceback."""

from __future__ import annotations

import traceback
from typing import Any, Dict, List

from envdoctor.probe.ownership import Ownership, is_ours
from envdoctor.probe.surviving import message_of, relay, shape

MAX_FRAMES = 30


def error_value(error: BaseException, ownership: Ownership) -> Dict[str, Any]:
    """The error value (see model.events) of an exception, without our own frames."""
    frames = [
        {
            "file": frame.filename,
            "line": frame.lineno,
            "function": frame.name,
            "text": frame.line or "",
        }
        for frame in traceback.extract_tb(error.__traceback__)
        if not is_ours(frame.filename)
    ][-MAX_FRAMES:] + _unparsed(error)
    users = [index for index, frame in enumerate(frames) if ownership.is_users(str(frame["file"]))]
    lost = relay(error)
    return {
        "type": "%s.%s" % (type(error).__module__, type(error).__qualname__),
        "message": message_of(error),
        "frames": frames,
        "user": users[-1] if users else None,
        "cause": _cause_of(error),
        **(dict(_shape_of(error), relay=lost) if lost else {}),
    }


def _unparsed(error: BaseException) -> List[Dict[str, Any]]:
    """The line that could not be parsed: it never ran, so it is not a frame of the traceback."""
    file, line = getattr(error, "filename", None), getattr(error, "lineno", None)
    if not isinstance(error, SyntaxError) or not isinstance(file, str) or not isinstance(line, int):
        return []
    return [{"file": file, "line": line, "function": "", "text": str(error.text or "").strip()}]


def _shape_of(error: BaseException) -> Dict[str, Any]:
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
