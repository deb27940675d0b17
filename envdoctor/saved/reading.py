"""Saved runs read line by line, as far as they are readable."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from envdoctor.errors import UsageError
from envdoctor.model.facts.decoding import decoded
from envdoctor.model.subject import SOURCE, Subject
from envdoctor.model.trace import Trace
from envdoctor.model.training import training_in
from envdoctor.plan import episodes
from envdoctor.saved import lines_v1 as lines
from envdoctor.verdict.diagnosis import Run, RunEvidence

#: What of a subject's source is known when the doctor was killed before it was read.
UNREAD = {"unjudged": {SOURCE: "the run ended before the source was read"}}
MALFORMED = (lines.UnreadableError, KeyError, TypeError, ValueError, AttributeError, OverflowError)


@dataclass
class SavedRun:
    """One run as it was saved. `name` is what a person calls the file; `codes` the rules that it
    was judged by; `unreadable` the numbers of lines that are not what was written.
    """

    name: str
    run: Run
    codes: tuple[str, ...]
    evidence: dict[str, RunEvidence] = field(default_factory=dict)
    unreadable: list[int] = field(default_factory=list)
    complete: bool = False
    _traces: dict[str, list[Trace]] = field(default_factory=dict)

    def take(self, line: dict[str, object]) -> None:
        """One more line. Raises one of MALFORMED for what cannot be one."""
        subject_line = lines.line_of(line)
        if isinstance(subject_line, lines.SubjectLine):
            self._admit(subject_line.subject)
        elif isinstance(subject_line, lines.TraceLine):
            self._keep(self._traces[subject_line.spec], subject_line.value)
        elif isinstance(subject_line, lines.OverLine):
            self.evidence[subject_line.spec] = subject_line.of(self.evidence[subject_line.spec])
        elif isinstance(subject_line, lines.EndLine):
            self.run = replace(self.run, seconds=subject_line.seconds)
            self.complete = subject_line.complete

    def _keep(self, traces: list[Trace], trace: Trace) -> None:
        """Keep one more. A training is saved while it runs: the last trace has all of it."""
        if training_in(trace) is not None:
            traces[:] = [trace for trace in traces if training_in(trace) is None]
        traces[:] = episodes.separated([*traces, trace])

    def _admit(self, subject: Subject) -> None:
        if subject.text not in self.evidence:
            traces = self._traces.setdefault(subject.text, [])
            self.evidence[subject.text] = RunEvidence(
                subject, traces, read=UNREAD, leak_checked=self.run.leak_checked
            )

    @property
    def incomplete(self) -> str:
        """The reason why a part of the run is missing, or nothing."""
        number = sum(map(len, self._traces.values()))
        if not self.complete:
            return (
                f"{self.name} ends after {number} scenario{'' if number == 1 else 's'}, before the"
                " run was over"
            )
        return (
            f"line {self.unreadable[0]} of {self.name} is not what was written, and is left out"
            if self.unreadable
            else ""
        )


def read_runs(paths: Iterable[Path]) -> list[SavedRun]:
    """The runs in these files, in order; a file may hold several, one after another. Raises
    UsageError for what is none.
    """
    return [run for path in paths for run in _runs_in(path)]


def _runs_in(path: Path) -> list[SavedRun]:
    runs: list[SavedRun] = []
    home = os.path.expanduser("~")
    for number, text in _numbered(path):
        try:
            line = lines.decode(text, home)
            if lines.MARK in line:
                runs.append(_begun(path.name, line))
            elif runs:
                runs[-1].take(line)
        except MALFORMED:
            if runs:
                runs[-1].unreadable.append(number)
        if not runs:
            raise UsageError(f"{path} is not a saved run: {_what_it_is(text)}")
    if not runs:
        raise UsageError(f"{path} is empty: the run ended before anything was saved")
    return runs


def _begun(name: str, line: dict[str, object]) -> SavedRun:
    """A run of whose header nothing is missing. Raises UsageError for a format that is not
    known.
    """
    mark = decoded(lines.Mark, line)
    if mark.format != lines.FORMAT:
        theirs, format_ = lines.shown(mark.version), lines.shown(mark.format)
        raise UsageError(
            f"{name} was saved by envdoctor {theirs} in format {format_}; this one reads format"
            f" {lines.FORMAT}: upgrade it"
        )
    header = decoded(lines.Header, line)
    return SavedRun(name, header.run, header.codes)


def _numbered(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that say something, with their numbers. A last line without an end was cut off."""
    try:
        with path.open(encoding="ascii", errors="backslashreplace") as file:
            for number, text in enumerate(file, start=1):
                if text.strip():
                    yield number, text.rstrip("\r\n")
    except OSError as error:
        raise UsageError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from error


def _what_it_is(text: str) -> str:
    if lines.MARK in text[:64]:
        return "its first line is not what was written"
    if text.startswith("{") and text.rstrip() in ("{", "{}"):
        return "it looks like a report; `envdoctor check SPEC --save FILE` makes one"
    return "`envdoctor check SPEC --save FILE` makes one"
