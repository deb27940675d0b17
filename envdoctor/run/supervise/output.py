"""The files that a probe writes to, read from outside while it may still be writing."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from envdoctor.run.supervise.own_frames import without_own

MAX_BYTES = 256 * 1024  # of stacks that are kept
MAX_LINES, MAX_WORDS = 400, 64 * 1024  # of what a probe says while it exits


class LastOutput:
    """The output of a probe from now on, until it has exited."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._stderr, self._stacks = size(home / "stderr"), size(home / "stacks")

    def after(self, status: int | None) -> dict[str, str]:
        """Once it has: {"code", "stderr", "stacks"}."""
        code = "" if status is None else str(os.waitstatus_to_exitcode(status))
        stderr = tail(self._home / "stderr", self._stderr, MAX_LINES, MAX_WORDS)
        return {
            "code": code,
            "stderr": stderr,
            "stacks": without_own(since(self._home / "stacks", self._stacks)),
        }


def size(path: Path) -> int:
    """Bytes in a file; 0 when there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def since(path: Path, start: int) -> str:
    """Read the text of a file after byte `start`, up to a limit."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(MAX_BYTES).decode(errors="replace")
    except OSError:
        return ""


def tail(path: Path, start: int, lines: int, limit: int) -> str:
    """The last `lines` lines, and no more than `limit` bytes, of what was written to a file
    after byte `start`.
    """
    end = size(path)
    try:
        with path.open("rb") as file:
            file.seek(max(min(start, end), end - limit))
            text = file.read(limit).decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def truncate(path: Path) -> None:
    """Empty a file that others append to."""
    with suppress(OSError):
        os.truncate(path, 0)
