"""Results of each rule in each place of an environment."""

from __future__ import annotations

from collections.abc import Sequence

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import OPEN, SEVERITIES
from envdoctor.model.report import Report, SubjectReport
from envdoctor.reporters._folding import Place
from envdoctor.reporters.html.cards import GLYPHS
from envdoctor.reporters.html.index import Index

PASSED, SKIPPED, ACCEPTED, ABSENT = "passed", "skipped", "aside", "absent"
# What a family shows of its rules: the first that there is.
ORDER = (*SEVERITIES, ACCEPTED, PASSED, SKIPPED, ABSENT)
SIGNS = {**GLYPHS, PASSED: "✓", SKIPPED: "-", ACCEPTED: "○", ABSENT: ""}
WORDS = {
    PASSED: "passed",
    SKIPPED: "skipped",
    ACCEPTED: "ignored or in the baseline",
    ABSENT: "not applicable",
}


@dataclass(frozen=True)
class Cell:
    """The result of one rule in one place."""

    state: str = ABSENT
    title: str = ""
    link: str = ""


Row = tuple[str, tuple[Cell, ...]]  # code, a cell for each place


def rows(
    subject: SubjectReport, report: Report, index: Index, places: Sequence[Place]
) -> list[Row]:
    """Every rule that was judged, or could not be judged, anywhere."""
    spec = subject.spec
    cells: dict[tuple[str, str, str | None], Cell] = {}
    for passed in report.passed:
        if passed.subject == spec:
            cells[passed.code, passed.manager, passed.start_method] = Cell(PASSED)
    for skipped in report.skipped:
        if skipped.subject == spec and skipped.code:
            cells[skipped.code, skipped.manager, skipped.start_method] = Cell(
                SKIPPED, skipped.reason, index.reasons[spec, skipped.reason]
            )
    for finding in report.findings:
        spot = (spec, finding.code, finding.manager, finding.start_method)
        if finding.subject == spec and finding.status != OPEN and not index.at(spot):
            cells[spot[1:]] = Cell(ACCEPTED, f"{finding.status}: {finding.message}")
    for case in index.of(spec):
        for finding in case.findings:
            cell = Cell(finding.severity, finding.message, index.anchor(case))
            key = (finding.code, finding.manager, finding.start_method)
            cells[key] = min(cell, cells.get(key, cell), key=lambda cell: ORDER.index(cell.state))
    codes = sorted({code for code, _, _ in cells})
    return [(code, tuple(cells.get((code, *place), Cell()) for place in places)) for code in codes]
