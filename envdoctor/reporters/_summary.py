"""The end of the report on a terminal: what a person needs last."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from envdoctor.model.finding import ERROR, NOTE, OPEN, WARNING, Finding, Location
from envdoctor.model.report import Report
from envdoctor.model.scenario import DIRECT
from envdoctor.reporters._folding import Place, by_reason, cases, name_places, skipped_here
from envdoctor.reporters._lines import GAP, Line, line
from envdoctor.reporters._showing import shorten
from envdoctor.reporters._verdict import number, verdict_line

STYLES = {ERROR: "bold red", WARNING: "bold yellow", NOTE: "bold cyan"}
VERDICTS = {"failed": "bold red", "passed": "bold green"}
ALONE = ((DIRECT, None),)  # the place that is not named
LONG = 40  # characters of a path, beside which a message has little room


def in_a_line(
    finding: Finding, directory: str, places: Iterable[Place] = (), named: bool = False
) -> Line:
    """`error CLS006 arm.py:41: close() leaves 1 descriptor open`. Paths below `directory` are
    relative to it. `named`: with the subject, where a run has several.
    """
    where = tuple(places) or ((finding.manager, finding.start_method),)
    managers = "" if where == ALONE else name_places(where)
    about = [finding.subject] if named else []
    about += [_place(finding.location, directory)] if finding.location else []
    return Line(
        (
            (f"{finding.severity} ", STYLES[finding.severity]),
            (finding.code, "bold"),
            (f" {' '.join(about)}".rstrip(), ""),
            (f": {finding.message.strip()}", ""),
            (f" [{managers}]" if managers else "", "dim"),
        ),
        cut=True,
    )


def _place(location: Location, directory: str) -> str:
    """`envs/arm.py:41`; of a long path elsewhere, the end: the report has all of it."""
    path = shorten(location.file, directory)
    if len(path) > LONG and path.startswith(("/", "~")):
        path = f".../{'/'.join(path.split('/')[-2:])}"
    return f"{path}:{location.line}"


def counts(report: Report) -> Iterator[Line]:
    """The checks that passed, and those that were not judged, in a line each."""
    if report.passed:
        yield line(f"passed: {number(len(report.passed), 'check')}, listed with -v")
    skipped = skipped_here(report)
    if skipped:
        checks = sum(bool(each.code) for each in skipped)
        parts = [number(checks, "check")] if checks else []
        parts += [number(len(skipped) - checks, "place")] if checks < len(skipped) else []
        reasons = number(len(by_reason(skipped)), "reason")
        yield line(f"not judged: {' and '.join(parts)}, for {reasons}, listed with -v")


def summary(report: Report, directory: str) -> Iterator[Line]:
    """The verdict, each finding in a line, and the next command."""
    yield line((verdict_line(report), VERDICTS.get(report.verdict_word, "bold yellow")))
    shown = cases(finding for finding in report.findings if finding.status == OPEN)
    several = len(report.subjects) > 1
    yield from (in_a_line(case.first, directory, case.places, several) for case in shown)
    yield GAP
    if shown:
        yield _next("to understand it", f"envdoctor explain {shown[0].first.code}")
    if report.interrupted:
        yield _next("to play all of it", _repeated(report))
        return
    if report.verdict_word not in VERDICTS:
        yield _next("to see all of it", f"{_repeated(report)} -v")
    if any(case.first.severity != NOTE for case in shown) and not _is_training(report):
        yield _next("once it is fixed", _repeated(report))


def _next(when: str, command: str) -> Line:
    """A command for a shell, in one row."""
    return Line(((f"{when}  ", "dim"), (command, "bold")), verbatim=True)


def _repeated(report: Report) -> str:
    """The command of the run, as a shell reads it."""
    return " ".join(map(_quoted, report.command))


def _quoted(word: str) -> str:
    """A word of a command line. A shell has to expand the home directory."""
    home, slash, rest = word.partition("/")
    return f"~/{shlex.quote(rest)}" if (home, slash) == ("~", "/") and rest else shlex.quote(word)


def _is_training(report: Report) -> bool:
    return any(subject.training for subject in report.subjects)
