"""The files that a probe writes to, read from outside while it may still be writing."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

MAX_BYTES = 256 * 1024  # of stacks that are kept


def size(path: Path) -> int:
    """Bytes in a file; 0 when there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def since(path: Path, start: int) -> str:
    """What was written to a file after byte `start`, up to a limit."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(MAX_BYTES).decode(errors="replace")
    except OSError:
        return ""


def tail(path: Path, start: int, lines: int, limit: int) -> str:
    """The last `lines` lines, and no more than `limit` bytes, of what was written to a file after byte `start`."""
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
