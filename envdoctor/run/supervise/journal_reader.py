"""The doctor's end of a journal: read what was appended, and know which verb is being played."""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from envdoctor.model.events import Event
from envdoctor.model.records import InstanceRecord, Record, ScenarioRecord, VerbRecord, record_of
from envdoctor.model.scenario import BEGINNINGS, verb_name
from envdoctor.model.trace import Outcome

# The file in which the probe counts the steps of an episode (see probe/progress.py).
PROGRESS, COUNTS = ".progress", struct.Struct("=qq")

# Bytes of disk: an environment may fill the rest, and a verb whose end cannot be told counts as one
# that hangs.
RESERVED = 256 * 1024
OPENING = b'{"event"'
# That are tried in one line: so many writers may have been killed one after another.
MAX_OPENINGS = 8
MAX_LINE = 16 << 20  # bytes; what an event tells has bounds of its own, far below
MAX_JOURNAL = 256 << 20  # bytes of one scenario; what comes after that is not read
CHUNK = 1 << 20  # bytes
PENDING = ("making", "closing")  # a call of an instance that did not come back yet
BEAT = "beat"  # one of many calls of a verb came back: heard, and not kept


class JournalReader:
    """One scenario's journal, followed while it is written.

    `verb` and `at` name the verb that is running ("" and None between two); `since` is when that
    changed last, when one of the calls that it makes came back, or when anything was heard between
    two verbs (time.monotonic()); `heard` is when anything was heard at all, and `workers` whether
    a worker spoke; `in_call` is whether the last that was heard of an instance is the beginning of
    a call. `has_room` is whether the disk has room for it. `ended` and `dirty` come with the last
    event, or `failed` when the probe's own code could not go on.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.events: list[Event] = []
        self._records: list[Record | None] = []  # of the events
        self.verb = ""
        self.at: int | None = None
        self.since = self.heard = time.monotonic()
        self.workers = self.in_call = False
        self.ended = False
        self.failed = ""
        self.dirty: tuple[str, ...] = ()
        self._rest = b""
        self._room = MAX_JOURNAL
        path.touch()
        # Not where a journal is only decoded, without any library.
        from envdoctor.run.supervise.machine import machine

        self.has_room = machine.reserve(str(path), RESERVED)
        self._file = path.open("rb", buffering=0)

    def read(self) -> bool:
        """Take in what was appended; whether there was anything."""
        heard = False
        while self._room > 0 and (data := self._file.read(CHUNK)):
            heard = True
            self._room -= len(data)
            self._take(data)
        return heard

    def _take(self, data: bytes) -> None:
        *lines, rest = data.split(b"\n")
        if lines:
            lines[0] = self._rest + lines[0]
            self._rest = rest
        elif (
            len(self._rest) <= MAX_LINE
        ):  # the beginning of one that is too long spoils it, and the rest of it is not kept
            self._rest += rest
        for line in lines:
            heard = _heard(line, len(self.events))
            if heard is None:
                continue
            if heard.record.kind != BEAT:
                self.events.append(heard.event)
                self._records.append(heard.record)
            self._follow(heard.record)

    def add(self, events: Sequence[Event]) -> None:
        """Append events that the doctor itself knows."""
        self.events += events
        self._records += [None] * len(events)

    def read_events(self) -> list[tuple[Event, Record | None]]:
        """The events, each with its record where it was decoded already."""
        return list(zip(self.events, self._records, strict=True))

    @property
    def is_there(self) -> bool:
        """True if a process can still append to it."""
        return os.path.exists(self.path)

    def close(self) -> None:
        """Give the file back."""
        self._file.close()

    def _follow(self, record: Record) -> None:
        self.heard = time.monotonic()
        if isinstance(record, InstanceRecord):
            self.workers |= record.parent is False
            self.in_call = record.what in PENDING
        if record.kind == BEAT:
            self.since = time.monotonic()
        elif isinstance(record, VerbRecord):
            running = record.state == "began"
            self.verb, self.at = (record.verb, record.at) if running else ("", None)
            self.since = time.monotonic()
        elif isinstance(record, ScenarioRecord) and record.state == "ended":
            self.ended, self.dirty = True, record.dirty
        elif isinstance(record, ScenarioRecord) and record.state == "failed":
            self.failed = record.why or "no reason is known"
        elif not self.verb:
            self.since = time.monotonic()


def how_far(journal: Path, outcome: Outcome) -> list[Event]:
    """The fact of which step of which episode a scenario ended in, where it ended in one."""
    if verb_name(outcome.verb) not in ("episode", BEGINNINGS):
        return []
    with suppress(OSError, struct.error):
        data = journal.with_name(journal.name + PROGRESS).read_bytes()
        episode, step = COUNTS.unpack(data[: COUNTS.size])
        if episode > 0:
            value = {"episode": episode, "step": step}
            return [{"event": "fact", "t": 0.0, "pid": 0, "key": "last-step", "value": value}]
    return []


class _Heard(NamedTuple):
    """An event as it was written, and as a value."""

    event: Event
    record: Record


def decode(line: bytes) -> Event | None:
    """The event of a line; None when it has none."""
    heard = _heard(line)
    return heard.event if heard else None


def _heard(line: bytes, index: int = 0) -> _Heard | None:
    """Parse a line. A process that was killed in the middle of a long write leaves half a line, and
    the next writer's line follows it without a break: that one is still complete.
    """
    if len(line) > MAX_LINE:
        return None
    heard, start = _parse(line, index), 0
    for _ in range(MAX_OPENINGS):
        start = line.find(OPENING, start + 1)
        if heard is not None or start < 0:
            break
        heard = _parse(line[start:], index)
    return heard


def _parse(line: bytes, index: int) -> _Heard | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError, MemoryError):
        return None
    record = record_of(event, index)
    return _Heard(event, record) if record is not None else None
