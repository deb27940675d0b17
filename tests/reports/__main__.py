"""Play reports through the installed command, and print which are reported rightly.

python -m tests.reports             # all
python -m tests.reports ray-15113   # those whose names begin so
python -m tests.reports --open      # those that are not reported rightly yet
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from envdoctor.errors import EnvdoctorError
from envdoctor.model.report import Report as Examination
from tests.interpreters import announce, way_to
from tests.recorded import keeping
from tests.recorded.catalogue import Case, cases_of
from tests.recorded.expectations import failures
from tests.recorded.playing import NotExaminedError, hear_signals, play, python_of
from tests.reports import Report, all_reports

RIGHT, OPEN, WRONG, NOT_PLAYED = "right", "open", "WRONG", "not played"
TROUBLES = (NotExaminedError, subprocess.SubprocessError, EnvdoctorError, OSError)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; 1 where a report that is not open is reported wrongly."""
    parser = argparse.ArgumentParser(prog="python -m tests.reports", description=__doc__)
    parser.add_argument("names", nargs="*", help="beginnings of names, such as ray")
    parser.add_argument("--open", action="store_true", help="only those that are open")
    options = parser.parse_args(words)
    announce()
    hear_signals()
    results: Counter[str] = Counter()
    began = time.monotonic()
    for report in all_reports():
        if options.names and not report.name.startswith(tuple(options.names)):
            continue
        if options.open and not report.open:
            continue
        start = time.monotonic()
        result, lines = result_of(report)
        results[result] += 1
        seconds = time.monotonic() - start
        print("\n    ".join([f"{result:10} {report.name} ({seconds:.1f} s)", *lines]), flush=True)
    totals = ", ".join(f"{results[name]} {name}" for name in (RIGHT, OPEN, WRONG, NOT_PLAYED))
    print(f"{results.total()} reports: {totals}; {time.monotonic() - began:.0f} s")
    return 1 if results[WRONG] else 0


def result_of(report: Report) -> tuple[str, list[str]]:
    """Its result, and lines on it. An open one is played, too, and what is reported is printed."""
    try:
        prepare(report)
        lines = [line for case in cases_of(report) for line in _played(case)]
    except TROUBLES as error:
        lines = [f"not examined: {error}"]
    except LookupError as error:
        return NOT_PLAYED, [str(error)]
    if not report.open:
        return (WRONG, lines) if lines else (RIGHT, [])
    met = [] if lines or not report.codes else ["all that it asks for holds: remove `open`"]
    return OPEN, [report.open, *lines, *met]


def prepare(report: Report) -> None:
    """Install what it needs, once. Raises SubprocessError where that fails."""
    python = Path(report.python)
    if report.needs and not python.exists():
        venv.create(python.parents[1], with_pip=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        try:
            subprocess.run([*pip, *report.needs], check=True, timeout=600)
        except subprocess.SubprocessError:
            python.unlink()
            raise


def _played(case: Case) -> Iterator[str]:
    """Lines on what is wrong. Raises LookupError where its interpreter is missing."""
    if python_of(case) is None:
        raise LookupError(way_to(case.interpreter))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.jsonl")
        play(case, path)
        report = keeping.read(path.read_text(encoding="ascii"), case.key).report()
    wrong = failures(case, report)
    yield from (f"{case.name}: {line}" for line in (*wrong, *(_said(report) if wrong else ())))


def _said(report: Examination) -> Iterator[str]:
    for finding in report.findings:
        yield f"reported: {finding.severity} {finding.code} {finding.message}"


if __name__ == "__main__":
    sys.exit(main())
