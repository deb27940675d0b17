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

_PROCESS = re.compile(r"^Process \d+ \(")
_HEAD = re.compile(r"^(Current thread|Thread) .*\(most recent call first\)")
_FRAME = re.compile(r'^\s+File "(.+)", line \d+ in ')
_STANDARD_LIBRARY = re.compile(r"/lib(64)?/python[\d.]+/(?!site-packages|dist-packages)")


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
