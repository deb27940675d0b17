"""The end of the report on a terminal: what a person needs last."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from envdoctor.model.finding import ERROR, NOTE, OPEN, WARNING, Finding
from envdoctor.model.report import Report
from envdoctor.reporters._folding import Place, by_reason, cases, name_places, skipped_here
from envdoctor.reporters._lines import GAP, Line, line
from envdoctor.reporters._verdict import number, verdict_line

STYLES = {ERROR: "bold red", WARNING: "bold yellow", NOTE: "bold cyan"}
VERDICTS = {"failed": "bold red", "passed": "bold green"}
ALONE = [("direct", None)]  # the place that is not named


def in_a_line(finding: Finding, places: Iterable[Place] = (), named: bool = False) -> Line:
    """`error CLS006 arm.py:41: close() leaves 1 descriptor open`. `named`: with the subject, where
    a run has several.
    """
    where = list(places) or [(finding.manager, finding.start_method)]
    words = [finding.subject] if named else []
    words += [f"[{name_places(where)}]"] if where != ALONE and name_places(where) else []
    if finding.location:
        words.append(f"{finding.location.file}:{finding.location.line}")
    about = f" {' '.join(words)}" if words else ""
    return Line(
        (
            (f"{finding.severity} ", STYLES[finding.severity]),
            (finding.code, "bold"),
            (f"{about}: {finding.message.strip()}", ""),
        ),
        cut=True,
    )


def counts(report: Report) -> Iterator[Line]:
    """The checks that passed, and those that were not judged, in a line each."""
    if report.passed:
        yield line(f"passed: {number(len(report.passed), 'check')}, listed with -v")
    skipped = skipped_here(report)
    checks = sum(bool(each.code) for each in skipped)
    if skipped:
        reasons = number(len(by_reason(skipped)), "reason")
        what = number(checks, "check") if checks else number(len(skipped), "place")
        yield line(f"not judged: {what} for {reasons}, listed with -v")


def summary(report: Report) -> Iterator[Line]:
    """The verdict, each finding in a line, and the next command."""
    yield line((verdict_line(report), VERDICTS.get(report.verdict_word, "bold yellow")))
    shown = cases(finding for finding in report.findings if finding.status == OPEN)
    several = len(report.subjects) > 1
    yield from (in_a_line(case.first, case.places, several) for case in shown)
    if shown:
        yield GAP
        yield _next(f"envdoctor explain {shown[0].first.code}", "why it matters and how to fix it")
    elif report.verdict_word not in VERDICTS:
        yield _next(f"{_repeated(report)} -v", "all that was played, and what was not judged")
    if any(case.first.severity != NOTE for case in shown) and not _is_training(report):
        yield _next(_repeated(report), "once it is fixed")


def _next(command: str, why: str) -> Line:
    return line(("next: ", "dim"), (command, "bold"), f"  ({why})", hang=6)


def _repeated(report: Report) -> str:
    """The command of the run, as a shell reads it."""
    return " ".join(map(_quoted, report.command))


def _quoted(word: str) -> str:
    """A word of a command line. A shell has to expand the home directory."""
    home, slash, rest = word.partition("/")
    return f"~/{shlex.quote(rest)}" if (home, slash) == ("~", "/") and rest else shlex.quote(word)


def _is_training(report: Report) -> bool:
    return any(subject.training for subject in report.subjects)
