"""Frames of the probe in the stacks of a process: whose work it was, and the text without them."""

from __future__ import annotations

import re

#: What the probe is run from (see bundle.py).
OURS = "bundle.pyz/"
#: Where the probe searches, reads and compares, and calls nothing of the environment's.
SEARCHES = re.compile(
    r"bundle\.pyz/envdoctor/probe/"
    r"(growth/(?!cycles\.py)|sensors/|comparison/|system/|readings\.py|journal\.py)"
)

#: Functions through which the probe calls the environment, or what the user gave, by what they
#: call. They are a contract with the probe: a test holds that each of them is there.
CALLS = {
    ("environment_api.py", "reset"): "reset",
    ("environment_api.py", "transition"): "step",
    ("environment_api.py", "close"): "close",
}
#: The call of an instance that a checker drives: what it called is the frame above.
CHECKED_CALL = ("heartbeat.py", "followed_call")
#: The function of the user's that gives the actions.
GIVEN_FUNCTION = ("given_actions.py", "ask_function")

_PROCESS = re.compile(r"^Process \d+ \(")
_HEAD = re.compile(r"^(Current thread|Thread) .*\(most recent call first\)")
_FRAME = re.compile(r'^\s+File "(.+)", line \d+ in ')
_STANDARD_LIBRARY = re.compile(r"/lib(64)?/python[\d.]+/(?!site-packages|dist-packages)")


def frame_pattern(function: tuple[str, str]) -> str:
    """The regular expression of a line of a stack that is in a function of the probe's."""
    file, name = function
    return rf'File "[^"]*[/\\]probe[/\\]{re.escape(file)}", line \d+ in (?:[\w<>]+\.)*{name}\s*$'


_IN_CALL = re.compile("|".join(f"({frame_pattern(function)})" for function in CALLS), re.MULTILINE)
_IN_CHECKED_CALL = re.compile(
    rf'" *, line \d+ in (\S+)$\n *{frame_pattern(CHECKED_CALL)}', re.MULTILINE
)
_IN_GIVEN_FUNCTION = re.compile(frame_pattern(GIVEN_FUNCTION), re.MULTILINE)


def call_in(stacks: str) -> str:
    """The call of the environment that the probe was in, or nothing."""
    match = _IN_CALL.search(stacks)
    if match and match.lastindex:
        return tuple(CALLS.values())[match.lastindex - 1]
    match = _IN_CHECKED_CALL.search(stacks)
    return match[1] if match else ""


def is_in_given_function(stacks: str) -> bool:
    """Return whether the probe waits for the user's function that gives the actions."""
    return _IN_GIVEN_FUNCTION.search(stacks) is not None


def is_own_work(stacks: str) -> bool:
    """Return whether the main thread of the first process, which is the probe, is within a search
    or a reading: below it are only frames of the standard library. A finalizer of the environment's
    that is called there has a frame of its own.
    """
    main = False
    for line in _first_process(stacks):
        head, frame = _HEAD.match(line), _FRAME.match(line)
        if head:
            main = head[1] == "Current thread"
        elif frame and main:
            file = frame[1].replace("\\", "/")
            if OURS in file:
                return SEARCHES.search(file) is not None
            if not (file.startswith("<") or _STANDARD_LIBRARY.search(file)):
                return False
    return False


def _first_process(stacks: str) -> list[str]:
    lines = stacks.splitlines()
    heads = [at for at, line in enumerate(lines) if _PROCESS.match(line)]
    return lines[: heads[1]] if len(heads) > 1 else lines


def without_own(stacks: str) -> str:
    """The text without frames of the probe, and without those of Python that run it."""
    lines = stacks.splitlines(keepends=True)
    kept = [line for line in lines if not _is_own(line)]
    return "".join(kept) if len(kept) < len(lines) else stacks


def _is_own(line: str) -> bool:
    frame = _FRAME.match(line)
    return frame is not None and (OURS in frame[1] or frame[1] == "<frozen runpy>")
