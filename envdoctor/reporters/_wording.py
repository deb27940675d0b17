"""A case in words that are safe on one line, for formats other than the screen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from envdoctor.model.finding import OPEN, Finding, Location
from envdoctor.model.report import Report
from envdoctor.reporters._folding import Case, Place, cases, name_places
from envdoctor.reporters._screen import whose_fault
from envdoctor.reporters._showing import bounded, clean, evidence_lines, shorten

WHERE, FAULT, WHY, REMEDY = "where", "cause", "why it fails", "remedy"  # labels

#: What GitHub's runner obeys anywhere in a log, and reports are written there, too.
_ORDER = re.compile(r"##(?=\[)|^\s*:(?=:)")


def safe_line(text: str, directory: str = "") -> str:
    """Foreign text as one line of bounded length, in which nothing acts on the program that shows
    it.
    """
    return _unarmed(clean(bounded(shorten(text, directory)), unicode=True))


def _unarmed(line: str) -> str:
    return _ORDER.sub(lambda order: order[0] + " ", line)


def open_cases(report: Report) -> list[Case]:
    """Return the open cases, worst first."""
    return cases(finding for finding in report.findings if finding.status == OPEN)


def who(case: Case, workers: dict[Place, int]) -> str:
    """`warehouse:Forklift-v0 [direct; gymnasium-async x2, fork]`."""
    where = name_places(case.places, workers)
    return safe_line(case.first.subject + (f" [{where}]" if where else ""))


def sentence(case: Case, workers: dict[Place, int], directory: str) -> str:
    """Return the place and the message of a case."""
    return f"{who(case, workers)}: {safe_line(case.first.message, directory)}"


def account(case: Case, directory: str) -> Iterator[tuple[str, list[str]]]:
    """The rest, as (label, lines): where it is, its evidence, its cause, and the remedy."""
    first = case.first
    if first.location:
        yield WHERE, [safe_line(place_name(first.location), directory)]
    proof = [safe_line(line, directory) for line in evidence_lines(first.evidence)]
    if proof:
        where = (
            f", in {name_places([(first.manager, first.start_method)])}"
            if len(case.places) > 1
            else ""
        )
        yield safe_line("evidence" + where), proof
    yield FAULT, list(whose_fault(case))
    reasons = dict.fromkeys(
        finding.status_reason
        for finding in case.findings
        if finding.status == OPEN and finding.status_reason
    )
    if reasons:
        yield WHY, [safe_line(reason) for reason in reasons]
    yield REMEDY, [safe_line(first.remedy.text, directory)]


def listed(entries: Iterable[tuple[str, list[str]]]) -> Iterator[str]:
    """An account as lines: `label: line`, and further lines indented."""
    for label, lines in entries:
        yield f"{label}: {lines[0]}"
        yield from (f"    {line}" for line in lines[1:])


def commands(finding: Finding) -> list[str]:
    """Lines to paste."""
    lines = (line for command in finding.remedy.commands for line in command.splitlines())
    return [
        _unarmed(clean(" " * (len(line) - len(line.lstrip(" "))) + bounded(line), unicode=True))
        for line in lines
    ]


def place_name(location: Location) -> str:
    """`/src/forklift.py:88 in close`."""
    return f"{location.file}:{location.line}" + (
        f" in {location.function}" if location.function else ""
    )


def why(finding: Finding) -> str:
    """`ignored: closed once only`, of a suppressed finding."""
    return safe_line(
        finding.status + (f": {finding.status_reason}" if finding.status_reason else "")
    )
