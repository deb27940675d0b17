"""The journal: one JSON object a line, appended by whichever process has something to say."""

from __future__ import annotations

import errno
import json
import os
from contextlib import suppress

# As they are now: environments replace what a module holds.
from os import _exit, close, getpid, open, waitpid, write  # noqa: A004
from time import monotonic
from typing import Callable, Dict, Mapping, Optional

from envdoctor.probe.system import room

FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)

_encode = json.JSONEncoder(default=str).encode
_fork: Optional[Callable[[], int]] = getattr(os, "fork", None)


class Journal:
    """Appends events to the file at `path`. Picklable; holds no descriptor, so a worker or an
    environment that closes every descriptor does not silence it, and it shows in no reading. One
    event is one write: a SIGKILL loses none that was written.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        folder = os.getenv("TMPDIR", "")
        self._shorter = (
            [
                (folder.encode(), b"$TMPDIR"),
                (os.path.join(os.path.dirname(folder), "cwd").encode(), b"$CWD"),
            ]
            if folder
            else []
        )

    def write(self, event: str, **keys: object) -> None:
        """Append one event. An event that cannot be written is lost, never raised."""
        record = _record(event, keys)
        if self._tried(_append, record):
            return
        # The environment took every descriptor, let no file grow, or left no room to call anything:
        # a verb whose end is not told counts as one that hangs.
        with suppress(RecursionError), room.made():
            if not self._tried(_append, record):
                self._tried(_append_by_child, record)

    def _tried(self, append: Callable[[str, bytes], None], record: Dict[str, object]) -> bool:
        try:
            append(self.path, self._without_our_folders(_line(record)))
        except (OSError, ValueError, RecursionError, MemoryError):
            return False
        return True

    def _without_our_folders(self, line: bytes) -> bytes:
        """The probe's own folders differ from run to run, and say nothing to a reader."""
        for folder, name in self._shorter:
            line = line.replace(folder, name)
        return line


def encoded(event: str, keys: Mapping[str, object]) -> bytes:
    """The line of an event, for those who append it themselves."""
    return _line(_record(event, keys))


def _record(event: str, keys: Mapping[str, object]) -> Dict[str, object]:
    return {"event": event, "t": monotonic(), "pid": getpid(), **keys}


def _line(record: Dict[str, object]) -> bytes:
    return _encode(record).encode("utf-8", "backslashreplace") + b"\n"


def _append(path: str, line: bytes) -> None:
    descriptor = open(path, FLAGS, 0o600)
    try:
        if write(descriptor, line) < len(line):  # half of it: there was no more room
            raise OSError(errno.ENOSPC, path)
    finally:
        close(descriptor)


def _append_by_child(path: str, line: bytes) -> None:
    """From a child, which can spare a descriptor: where there may be no more of them than there
    are.
    """
    if _fork is None:
        _append(path, line)
        return
    child = _fork()
    if child:
        waitpid(child, 0)
        return
    try:
        close(0)
        _append(path, line)
    finally:
        _exit(0)
