"""JSON lines as they are known: a finding is written once nothing in it changes any more, and what
else belongs to the report after the run.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TextIO

from envdoctor.cli import writing
from envdoctor.cli.live import Settle, settled
from envdoctor.model.finding import Finding
from envdoctor.model.report import Report
from envdoctor.reporters import jsonl
from envdoctor.run.announcing import Listener
from envdoctor.run.private_names import private
from envdoctor.verdict.diagnosis import Run, report_on


class JsonLines(Listener):
    """Writes JSON lines to a file, or to stdout where `path` is None. Nothing is written before the
    first finding, so that a command line that means nothing leaves no lines.
    """

    is_eager = True

    def __init__(self, path: Path | None, settle: Settle) -> None:
        self._path, self._settle = path, settle
        self._head = ""
        self._written: Counter[str] = Counter()
        self._file: TextIO | None = None
        self._failed = False
        self._alone = Lock()

    def begin(self, run: Run) -> None:
        """The run begins: its line is known."""
        report = private(self._settle(report_on(run, [])), (), False)
        self._head = _text(next(jsonl.lines(report)))

    def complete(self, findings: Iterable[Finding]) -> None:
        """Write these."""
        report = Report((), settled(findings, self._settle), (), (), (), "")
        with self._alone:
            self._write(list(map(_text, jsonl.finding_lines(report))))

    def finish(self, report: Report) -> bool:
        """Write what is not written yet. False where nothing was written, or where that failed: all
        of the report is to be written then.
        """
        if not self._written or self._failed:
            return False
        self._write(list(self._rest(report)))
        return not self._failed and self._is_kept()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    def _is_kept(self) -> bool:
        """Close the file; whether it lies, whole, where it was asked for."""
        if self._file is None or self._path is None:
            return True
        try:
            kept = os.path.samestat(os.fstat(self._file.fileno()), self._path.stat())
            self._file.close()
        except OSError:
            return False
        return kept

    def _rest(self, report: Report) -> Iterator[str]:
        left = self._written.copy()
        for text in map(_text, jsonl.lines(report)):
            if left[text]:
                left[text] -= 1
            else:
                yield text

    def _write(self, texts: list[str]) -> None:
        if self._failed or not texts:
            return
        if not self._written:
            texts.insert(0, self._head)
        try:
            self._put("".join(texts))
        except OSError:  # the report is written after the run, which says what is wrong
            self._failed = True
        self._written.update(texts)

    def _put(self, text: str) -> None:
        if self._path is None:
            writing.write(text)
            return
        if self._file is None:
            self._file = self._path.open("w", encoding="ascii")
        self._file.write(text)
        self._file.flush()


def _text(line: dict[str, object]) -> str:
    return jsonl.text_of([line])
