"""Reads what Python prints of errors that it cannot raise any more: text in, complaints out.

A complaint has a head, the lines of a traceback and the error:

    Exception ignored in: <function Arm.__del__ at 0x7f3a>
    Traceback (most recent call last):
      File "/home/me/arm.py", line 12, in __del__
    TypeError: 'NoneType' object is not callable
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from envdoctor.model.errors import ErrorValue
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.stacks import is_subjects

MAX_ERROR = 300  # characters

_HEAD = re.compile(r"^(?P<what>Exception ignored|Exception in thread|Error in atexit)(?P<rest>.*)$")
_PROCESS = re.compile(r"^Process (\S+):$")  # as multiprocessing prints it
_FUNCTION = re.compile(r"<(?:bound method|function) (?P<name>[\w.<>]+)")
_THREAD = re.compile(r"^ (?P<name>[^:]+):")
_FRAME = re.compile(r'^\s+File "(?P<file>.+)", line (?P<line>\d+), in (?P<function>.+?)\s*$')
_CHAINED = (
    "Traceback ",
    "During handling of the above",
    "The above exception was the direct cause",
)

FINALIZER, THREAD, TASK, ATEXIT = "finalizer", "thread", "task", "atexit"
PROCESS = "process"


@dataclass(frozen=True)
class Complaint:
    """One unraisable exception: in what (FINALIZER, THREAD, TASK, ATEXIT), of which name, the
    error, and the frames, innermost last. So is what ended a PROCESS.
    """

    what: str
    name: str
    error: str
    frames: tuple[Location, ...]

    def place(self, view: View) -> Location | None:
        """The last line of the subject's own in it."""
        own = [frame for frame in self.frames if is_subjects(frame.file, view)]
        return own[-1] if own else None


def complaints(stderr: str) -> Iterator[Complaint]:
    """Every complaint in a text, in order. What is cut off before its error is left out."""
    lines = stderr.splitlines()
    for at, line in enumerate(lines):
        head = _HEAD.match(line)
        if head:
            frames, error = _body(lines[at + 1 :])
            if error:
                yield Complaint(*_who(head), error, frames)


def process_errors(stderr: str) -> Iterator[Complaint]:
    """The errors that ended processes of multiprocessing, in order."""
    lines = stderr.splitlines()
    for at, line in enumerate(lines):
        head = _PROCESS.match(line)
        frames, error = _body(lines[at + 1 :]) if head else ((), "")
        if head and error:
            yield Complaint(PROCESS, head[1], error, frames)


def complaint_of(what: str, name: str, error: ErrorValue) -> Complaint:
    """Convert an error that the probe recorded."""
    frames = tuple(Location.at(frame) for frame in error.frames)
    kind, message = (error.type.removeprefix("builtins."), " ".join(error.message.split()))
    return Complaint(what, name, f"{kind}: {message}"[:MAX_ERROR] if message else kind, frames)


def _body(lines: list[str]) -> tuple[tuple[Location, ...], str]:
    """The frames and the error that follow a head; of chained errors the last."""
    frames: list[Location] = []
    error = ""
    for line in lines:
        frame = _FRAME.match(line)
        if line.startswith("Traceback "):
            frames, error = [], ""
        elif frame:
            frames.append(Location.of(frame.groupdict()))
        elif (
            _HEAD.match(line)
            or _PROCESS.match(line)
            or (error and line and not line.startswith(_CHAINED))
        ):
            break
        elif line and not line.startswith((" ", *_CHAINED)):
            error = line[:MAX_ERROR]
    return tuple(frames), error


def _who(head: re.Match[str]) -> tuple[str, str]:
    what, rest = head.groups()
    if what == "Exception in thread":
        thread = _THREAD.match(rest)
        return THREAD, thread[1].strip() if thread else ""
    function = _FUNCTION.search(rest)
    name = function[1].replace("<locals>.", "") if function else ""
    return (ATEXIT if "atexit" in head[0] else FINALIZER), name
