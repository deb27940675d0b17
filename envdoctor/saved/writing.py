"""A saved run as it is written: a line when a scenario is over, so that a doctor that is killed
leaves all that it saw.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from envdoctor.errors import UsageError
from envdoctor.model.report import Report
from envdoctor.model.subject import Subject
from envdoctor.model.trace import Trace
from envdoctor.saved import lines_v1 as lines
from envdoctor.verdict.diagnosis import ObservationRecorder, Run, RunEvidence


class RunFile(ObservationRecorder):
    """A recorder that writes to a file. Nothing that goes wrong with the file costs the user the
    run: `trouble` says what it was.

    Each line is written at once, and whole. Scenarios of several subjects may end at the same time.
    """

    def __init__(self, path: Path, option: str = "--save") -> None:
        self.path = path
        self._option = option
        self.trouble = ""
        self._known: set[str] = set()
        self._alone = Lock()
        self._home = os.path.expanduser("~")

    def begin(self, run: Run, codes: tuple[str, ...]) -> None:
        """Begin anew. Raises UsageError where the file cannot be written."""
        try:
            self.path.write_text(self._encoded(lines.header(run, codes)), encoding="ascii")
        except OSError as error:
            raise UsageError(f"{self._option} {self.path}: {error.strerror}") from error

    def trace(self, subject: Subject, trace: Trace) -> None:
        """A scenario is over."""
        first = subject.text not in self._known
        self._known.add(subject.text)
        self._write(*([lines.subject(subject)] if first else []), lines.trace(subject.text, trace))

    def over(self, observations: RunEvidence) -> None:
        """All of a subject was seen."""
        self._write(lines.over(observations))

    def end(self, report: Report) -> None:
        """The run is over."""
        self._write(lines.end(report.seconds, report.interrupted))

    def _write(self, *values: Mapping[str, object]) -> None:
        text = "".join(map(self._encoded, values))
        with self._alone:
            if self.trouble:
                return
            try:
                with open(self.path, "a", encoding="ascii", opener=_opened) as file:
                    file.write(text)
            except OSError as error:
                self.trouble = (
                    f"{self._option} {self.path}: {error.strerror}; the saved run ends early"
                )

    def _encoded(self, line: Mapping[str, object]) -> str:
        return lines.encode(line, self._home) + "\n"


def _opened(path: str, flags: int) -> int:
    """Open a file that is there: one that vanished would come back without its beginning."""
    return os.open(path, flags & ~os.O_CREAT)


def check_free(path: Path, option: str = "--save") -> None:
    """Refuse to write a run over what is none: a slip of the pen must not cost a source file.
    Raises UsageError.
    """
    if not path.is_file():  # nothing is lost in a pipe, and to read from one may never end
        return
    try:
        with path.open("rb") as file:
            start = file.read(64)
    except OSError as error:
        raise UsageError(f"{option} {path}: {error.strerror}") from error
    if start and not start.startswith(f'{{"{lines.MARK}":'.encode()):
        raise UsageError(f"{option} {path}: this file exists and is not a saved run; name another")
