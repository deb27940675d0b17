"""Annotations for GitHub: commands that its runner reads in the log of a step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from envdoctor.model.finding import ERROR, NOTE, SEVERITIES, WARNING
from envdoctor.model.report import Report
from envdoctor.reporters._anchors import inside
from envdoctor.reporters._folding import Case, Place, worker_numbers
from envdoctor.reporters._verdict import number, verdict_line
from envdoctor.reporters._wording import (
    FAULT,
    REMEDY,
    WHERE,
    WHY,
    account,
    commands,
    listed,
    open_cases,
    safe_line,
    sentence,
)

COMMANDS = {ERROR: "error", WARNING: "warning", NOTE: "notice"}
SHOWN = 10  # of each kind a step; GitHub drops the rest without a word

_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})


def render(report: Report, *, root: str = "", **_options: object) -> str:
    """A command for each open case, worst first, and a line that says what was found and how
    much of it is left out.
    """
    workers, known = worker_numbers(report), Counter[str]()
    lines = []
    for case in open_cases(report):
        known[case.first.severity] += 1
        if known[case.first.severity] <= SHOWN:
            lines.append(_annotation(case, workers, root))
    return (
        "\n".join([*lines, "envdoctor: " + "; ".join([verdict_line(report), *_left_out(known)])])
        + "\n"
    )


def _annotation(case: Case, workers: dict[Place, int], root: str) -> str:
    first = case.first
    place = inside(first.location, root)
    where = {"file": safe_line(place.path), "line": str(place.line)} if place else {}
    labels = (FAULT, WHY, REMEDY) if place else (WHERE, FAULT, WHY, REMEDY)
    message = "\n".join(
        [
            sentence(case, workers, root),
            *listed(entry for entry in account(case, root) if entry[0] in labels),
            *(commands(first) if first.remedy.verified else ()),
        ]
    )
    return command(
        COMMANDS.get(first.severity, "notice"),
        {**where, "title": safe_line(f"{first.code} {first.name}")},
        message,
    )


def _left_out(known: Counter[str]) -> Iterator[str]:
    more = [
        number(known[severity] - SHOWN, severity)
        for severity in SEVERITIES
        if known[severity] > SHOWN
    ]
    if more:
        yield f"{', '.join(more)} left out: GitHub shows {SHOWN} of a kind for each step"


def command(name: str, properties: Mapping[str, str], data: str) -> str:
    """`::error file=a.py,line=3,title=x::message`, from which the runner reads just these
    values.
    """
    escaped = ",".join(f"{key}={value.translate(_PROPERTY)}" for key, value in properties.items())
    return f"::{name} {escaped}::{data.translate(_DATA)}"
