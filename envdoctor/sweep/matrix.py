"""Several sides of a comparison beside each other, in one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import SEVERITIES, Finding
from envdoctor.reporters._showing import clean
from envdoctor.sweep import texts
from envdoctor.sweep.comparing import Comparison, judged_places, spot
from envdoctor.sweep.results import Result

#: Cells: the rule looked and found nothing; it did not look; a result is missing.
NOT_FOUND, NOT_JUDGED, NO_RESULT = "-", "?", ""
MAX_ROWS = 400
LEAST = 30  # characters of what a row is called


@dataclass(frozen=True)
class Column:
    """A side and what was found there. `reason` says why nothing was."""

    name: str
    results: tuple[Result, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True)
class Matrix:
    """All sides, in order, and what changed from one that was examined to the next: (the name of
    the one, that of the other, what changed).
    """

    columns: tuple[Column, ...]
    steps: tuple[tuple[str, str, Comparison], ...]

    @property
    def missing(self) -> tuple[Column, ...]:
        """The sides that could not be examined."""
        return tuple(column for column in self.columns if column.reason)


def matrix_text(matrix: Matrix, width: int, unicode: bool) -> str:
    """Each step, then the sides that are missing, then the table."""
    parts = [
        f"{clean(before, unicode)} -> {clean(after, unicode)}\n"
        + texts.comparison_text(step, unicode)
        for before, after, step in matrix.steps
    ]
    parts += [
        f"{clean(column.name, unicode)} could not be examined: {clean(column.reason, unicode)}\n"
        for column in matrix.missing
    ]
    return "\n".join([*parts, table(matrix.columns, width, unicode)])


def table(columns: Sequence[Column], width: int, unicode: bool) -> str:
    """A row an environment, and below it one for each finding that not all sides have."""
    shown = [column for column in columns if not column.reason]
    rows = list(_rows(shown))
    cells = [[clean(cell, unicode) for cell in row[1]] for row in rows]
    heads = [clean(column.name, unicode) for column in shown]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    room = max(LEAST, width - sum(widths) - 2 * len(widths))
    names = [texts.cut(clean(row[0], unicode), room) for row in rows]
    first = max(map(len, ("", *names)))
    lines = [
        "  ".join(
            [f"{name:{first}}", *(f"{cell:{each}}" for cell, each in zip(row, widths, strict=True))]
        )
        for name, row in zip(("", *names), (heads, *cells), strict=True)
    ]
    more = [f"... and {len(lines) - MAX_ROWS:,} more rows"] if len(lines) > MAX_ROWS else []
    legend = "- not found, ? not judged" if any(row[0].startswith(" ") for row in rows) else ""
    kept = [line.rstrip() for line in lines[:MAX_ROWS]]
    return "\n".join([*kept, *more, *(["", legend] if legend else [])]) + "\n"


def _rows(columns: Sequence[Column]) -> Iterator[tuple[str, list[str]]]:
    by_label = [{result.label: result for result in column.results} for column in columns]
    for label in dict.fromkeys(label for column in by_label for label in column):
        results = [column.get(label) for column in by_label]
        yield label, [texts.verdict(result) if result else NO_RESULT for result in results]
        yield from _finding_rows(results)


def _finding_rows(results: Sequence[Result | None]) -> Iterator[tuple[str, list[str]]]:
    """The findings of an environment that not every side has, or not with one severity."""
    known: dict[str, Finding] = {}
    for result in results:
        for finding in result.findings if result else ():
            known.setdefault(finding.fingerprint, finding)
    for finding in sorted(
        known.values(), key=lambda finding: (SEVERITIES.index(finding.severity), finding.code)
    ):
        cells = [_cell(result, finding) for result in results]
        if len(set(cells)) > 1:
            yield f"  {finding.code} {finding.message}", cells


def _cell(result: Result | None, finding: Finding) -> str:
    if result is None:
        return NO_RESULT
    same = [item for item in result.findings if item.fingerprint == finding.fingerprint]
    if same:
        return same[0].severity if len(same) == 1 else f"{same[0].severity} x{len(same)}"
    return NOT_FOUND if spot(finding) in judged_places(result) else NOT_JUDGED
