"""The journal: one JSON object a line, appended by whichever process has something to say."""

from __future__ import annotations

import json
import os
import time
from typing import Any, Dict


class Journal:
    """Appends events to the file at `path`. Picklable; holds no descriptor, so a worker or an environment that closes
    every descriptor does not silence it, and it shows in no reading. One event is one write: a SIGKILL loses none that was written.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        folder = os.environ.get("TMPDIR", "")
        self._shorter = [(folder.encode(), b"$TMPDIR"), (os.path.join(os.path.dirname(folder), "cwd").encode(), b"$CWD")] if folder else []

    def write(self, event: str, **keys: Any) -> None:
        """Append one event. An event that cannot be written (disk full, no descriptor left) is lost, never raised."""
        record: Dict[str, Any] = {"event": event, "t": time.monotonic(), "pid": os.getpid()}
        record.update(keys)
        try:
            line = self._without_our_folders(json.dumps(record, default=str).encode("utf-8", "backslashreplace") + b"\n")
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)
        except (OSError, ValueError, RecursionError):
            pass

    def _without_our_folders(self, line: bytes) -> bytes:
        """The probe's own folders differ from run to run, and say nothing to a reader."""
        for folder, name in self._shorter:
            line = line.replace(folder, name)
        return line
