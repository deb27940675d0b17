"""Exceptions as values, so that nothing of the environment stays alive through a traceback."""

from __future__ import annotations

import pickle
import traceback
from typing import Any, Dict, List

from envdoctor.model.events import MAX_MESSAGE
from envdoctor.probe.ownership import Ownership, is_ours

MAX_FRAMES = 30
MAX_RELAY = 300  # characters


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


def relay(error: BaseException) -> Dict[str, str]:
    """What keeps an exception from reaching another process: {step: error}, empty when it
    arrives. Steps are "dumps", "loads", and "again": some managers build it anew there, as
    `type(error)(error)`.
    """
    step = "dumps"
    try:
        data = pickle.dumps(error)
        step = "loads"
        arrived = pickle.loads(data)
        step = "again"
        type(arrived)(arrived)
    except BaseException as problem:  # its own code runs here, and may raise what ends a process
        return {step: ("%s: %s" % (type(problem).__name__, message_of(problem)))[:MAX_RELAY]}
    return {}


def _shape_of(error: BaseException) -> Dict[str, Any]:
    from envdoctor.probe.pickling import exceptions

    try:
        return exceptions.shape(error)
    except BaseException:
        return {}


def _cause_of(error: BaseException) -> str:
    """`KeyError: 'x'` of what it was raised from, or nothing."""
    cause = error.__cause__
    if cause is None:
        return ""
    message = message_of(cause)
    return type(cause).__name__ + (": " + message if message else "")


def message_of(error: BaseException) -> str:
    """Its text, bounded; an exception whose own __str__ fails has a text as well."""
    try:
        return str(error)[:MAX_MESSAGE]
    except BaseException:  # one whose __str__ exits
        return "(its text could not be read)"
