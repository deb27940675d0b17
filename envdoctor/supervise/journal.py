"""The doctor's end of a journal: read what was appended, and know which verb is being played."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from envdoctor.supervise.machine import machine

#: Keys, with the types of their values, without which an event of a kind means nothing; such an event is skipped.
NEEDED: dict[str, dict[str, type]] = {
    "verb": {"verb": str, "state": str},
    "reading": {"life": int, "point": str, "sensors": dict},
    "fact": {"key": str, "value": object},
    "scenario": {"state": str},
    "instance": {"what": str, "pid": int},
    "worker-exit": {"pid_of_worker": int, "code": int},
    "workers": {"pids": list},
    "unheard": {"what": str},
    "taking": {"what": str, "target": str},
    "inner": {"what": str},
}
RESERVED = 256 * 1024  # bytes of disk: an environment may fill the rest, and a verb whose end cannot be told counts as one that hangs
OPENING = b'{"event"'


class Journal:
    """One scenario's journal, followed while it is written.

    `verb` and `at` name the verb that is running ("" and None between two); `since` is when that changed last, or
    when anything was heard between two verbs (time.monotonic()); `ended` and `dirty` come with the last event, or `failed`
    when the probe's own code could not go on.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.events: list[dict[str, Any]] = []
        self.verb = ""
        self.at: int | None = None
        self.since = time.monotonic()
        self.ended = False
        self.failed = ""
        self.dirty: tuple[str, ...] = ()
        self._rest = b""
        path.touch()
        machine.reserve(str(path), RESERVED)
        self._file = path.open("rb", buffering=0)

    def read(self) -> bool:
        """Take in what was appended; whether there was anything."""
        data = self._file.read()
        if not data:
            return False
        *lines, self._rest = (self._rest + data).split(b"\n")
        for event in filter(None, map(decode, lines)):
            self.events.append(event)
            self._follow(event)
        return True

    @property
    def is_there(self) -> bool:
        """Whether anybody can still append to it."""
        return self.path.exists()

    def close(self) -> None:
        """Give the file back."""
        self._file.close()

    def _follow(self, event: dict[str, Any]) -> None:
        if event["event"] == "verb":
            running = event["state"] == "began"
            self.verb, self.at = (str(event["verb"]), event.get("at")) if running else ("", None)
            self.since = time.monotonic()
        elif event["event"] == "scenario" and event["state"] == "ended":
            self.ended, self.dirty = True, tuple(event.get("dirty") or ())
        elif event["event"] == "scenario" and event["state"] == "failed":
            self.failed = str(event.get("why") or "no reason is known")
        elif not self.verb:
            self.since = time.monotonic()


def decode(line: bytes) -> dict[str, Any] | None:
    """The event of a line; None when it has none.

    A process that was killed in the middle of a long write leaves half a line, and the next writer's line follows it
    without a break: that one is still whole.
    """
    event = _parse(line)
    start = line.find(OPENING, 1)
    while event is None and start > 0:
        event, start = _parse(line[start:]), line.find(OPENING, start + 1)
    return event


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        return None
    needed = NEEDED.get(event["event"], {})
    return event if all(key in event and isinstance(event[key], kind) for key, kind in needed.items()) else None
