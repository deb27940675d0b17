"""The lines of a saved run, format 1: JSON objects, one a line, each with a checksum of itself.

The first line is the header; `subject` comes before the first `trace` of a subject, `over` when all
of it was seen, `end` when the run is over. Frozen, like the report's JSON: keys may be added within
format 1, never removed or given another meaning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, field, replace
from typing import Any, ClassVar
from zlib import crc32

from envdoctor.model.events import Event
from envdoctor.model.facts.decoding import decoded, key
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Skipped
from envdoctor.model.records import Record, record_of
from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import Subject
from envdoctor.model.trace import Outcome, Trace
from envdoctor.verdict.diagnosis import Run, RunEvidence

FORMAT = 1
MARK = "envdoctor-run"  # the header's first key: its value is the format

_ESCAPE = r"\\(?:[bfnrt]|u00[01][0-9a-f](?:\[[\d;]*m)?)"  # of JSON: a new line, a colour
_CHECK = re.compile(r',"crc":"([0-9a-f]{8})"\}$')

Line = dict[str, object]


class UnreadableError(ValueError):
    """A line that is not what was written."""


def encode(line: Mapping[str, object], home: str = "") -> str:
    """The text of a line, without its end; paths below `home` begin with ~."""
    body = json.dumps(line, separators=(",", ":"), default=str)
    body = without_home(body, json.dumps(home)[1:-1])
    return f'{body[:-1]},"crc":"{crc32(body.encode()):08x}"}}'


def without_home(text: str, home: str) -> str:
    """JSON text with ~ for `home` wherever a path begins with it, the letter of an escape is not
    part of a path.
    """
    home = home.rstrip("/")
    return (
        re.sub(rf"({_ESCAPE}|(?<![\w.~-])){re.escape(home)}(?![\w-]|\.\w)", r"\1~", text)
        if home and home in text
        else text
    )


def with_home(text: str, home: str) -> str:
    """JSON text with `home` for ~ where a path begins with it: below the reader's own home,
    reporters know the checkout.
    """
    home = home.rstrip("/")
    if not home or "~" not in text:
        return text
    return re.sub(r'(?<![\w.~/-])~(?=/)|(?<=")~(?=")', lambda _: home, text)


def decode(text: str, home: str = "") -> Line:
    """The values of a line, with `home` for ~. Raises UnreadableError when it is cut off or was
    changed.
    """
    check = _CHECK.search(text)
    if check is None:
        raise UnreadableError("it is cut off")
    body = text[: check.start()] + "}"
    if f"{crc32(body.encode(errors='surrogatepass')):08x}" != check[1]:
        raise UnreadableError("it was changed")
    try:
        line = json.loads(with_home(body, json.dumps(home)[1:-1]))
    except (ValueError, RecursionError) as error:
        raise UnreadableError("it is not JSON") from error
    if not isinstance(line, dict):
        raise UnreadableError("it is not an object")
    return line


def shown(value: object, most: int = 60) -> str:
    """Quote a file's text for a message: short, and without characters that act on a terminal."""
    text = str(value)[:most]
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def header(run: Run, codes: tuple[str, ...]) -> Line:
    """The first line. `codes` are the rules that the run was judged by."""
    return {
        MARK: FORMAT,
        "version": run.version,
        "seed": run.seed,
        "command": list(run.command),
        "platform": dict(run.platform),
        "hunted": run.leak_checked,
        "codes": list(codes),
    }


@dataclass(frozen=True)
class Header:
    """The first line, of a format that is known."""

    seed: int
    command: tuple[str, ...]
    platform: Mapping[str, str]
    version: str
    hunted: bool
    codes: tuple[str, ...]

    @property
    def run(self) -> Run:
        """The run that it begins."""
        return Run(
            seed=self.seed,
            command=self.command,
            platform=self.platform,
            version=self.version,
            leak_checked=self.hunted,
        )


@dataclass(frozen=True)
class Mark:
    """The first line, before its format is known."""

    format: object = field(default=None, metadata=key(MARK))
    version: object = None


def subject(subject: Subject) -> Line:
    """A subject, before anything of it."""
    return {"line": "subject", "subject": subject.as_dict()}


@dataclass(frozen=True)
class SubjectLine:
    """A line of `subject`."""

    KIND: ClassVar[str] = "subject"

    subject: Subject


def trace(spec: str, trace: Trace) -> Line:
    """A scenario that is over."""
    return {
        "line": "trace",
        "spec": spec,
        "scenario": trace.scenario.as_dict(),
        "outcome": asdict(trace.outcome),
        "events": trace.events,
        "aftermath": trace.aftermath,
    }


@dataclass(frozen=True)
class TraceLine:
    """A line of `trace`."""

    KIND: ClassVar[str] = "trace"

    spec: str
    scenario: Scenario
    outcome: Outcome
    events: tuple[Any, ...]
    aftermath: Mapping[str, Any]

    @property
    def value(self) -> Trace:
        """The trace. Raises ValueError for what is not a script."""
        options = tuple((name, _frozen(value)) for name, value in self.scenario.options)
        scenario = replace(self.scenario, options=options)
        _ = scenario.verbs
        heard: list[tuple[Event, Record | None]] = []
        for event in self.events:
            record = record_of(event, len(heard))
            if record is not None:
                heard.append((event, record))
        return Trace.read(scenario, self.outcome, heard, self.aftermath)


def over(observations: RunEvidence) -> Line:
    """All of a subject was seen; what judging needs besides its traces."""
    return {
        "line": "over",
        "spec": observations.subject.text,
        "machine": dict(observations.machine),
        "read": dict(observations.read),
        "skipped": [asdict(skipped) for skipped in observations.skipped],
        "hunted": observations.leak_checked,
        "seconds": observations.seconds,
    }


@dataclass(frozen=True)
class OverLine:
    """A line of `over`."""

    KIND: ClassVar[str] = "over"

    spec: str
    machine: Mapping[str, object]
    read: Mapping[str, Any]
    skipped: tuple[Skipped, ...]
    hunted: bool
    seconds: float

    def of(self, observations: RunEvidence) -> RunEvidence:
        """Return the observations of the subject, now that they are complete."""
        return replace(
            observations,
            machine=self.machine,
            read=self.read,
            skipped=self.skipped,
            leak_checked=self.hunted,
            seconds=self.seconds,
        )


def end(seconds: float, interrupted: bool) -> Line:
    """The last line."""
    return {"line": "end", "complete": not interrupted, "seconds": seconds}


@dataclass(frozen=True)
class EndLine:
    """A line of `end`."""

    KIND: ClassVar[str] = "end"

    complete: bool
    seconds: float


AnyLine = SubjectLine | TraceLine | OverLine | EndLine
_KINDS: dict[str, type[AnyLine]] = {
    kind.KIND: kind for kind in (SubjectLine, TraceLine, OverLine, EndLine)
}


@dataclass(frozen=True)
class _LineKind:
    line: str = ""


def line_of(line: Line) -> AnyLine | None:
    """A line as a value; None for one that only a later version knows. Raises ValueError for what
    was not written so.
    """
    kind = _KINDS.get(decoded(_LineKind, line).line)
    return None if kind is None else decoded(kind, line)


def _frozen(value: object) -> object:
    """JSON has no tuples; a scenario's options are hashed."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
