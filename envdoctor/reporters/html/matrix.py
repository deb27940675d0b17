"""A table of what was judged in each place: rules by family down, managers and start methods
across. Each family unfolds to its rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import ERROR, OPEN, SEVERITIES, WARNING
from envdoctor.model.report import Report, SubjectReport
from envdoctor.reporters._folding import Place, name_places
from envdoctor.reporters._verdict import number
from envdoctor.reporters.html.cards import GLYPHS
from envdoctor.reporters.html.index import Index
from envdoctor.reporters.html.manual import entries
from envdoctor.reporters.html.markup import Element, Node, clipped, tag
from envdoctor.reporters.html.parts import legend, sideways

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


FAMILIES = {
    "API": "interface",
    "ASY": "coroutines",
    "CLS": "closing",
    "DET": "determinism",
    "DOC": "examination",
    "HNG": "hangs",
    "LEK": "growth",
    "MAK": "construction",
    "PRC": "processes",
    "REG": "registration",
    "RUS": "reuse",
    "SFX": "side effects",
    "TRN": "training",
    "VEC": "vectorization",
    "BUF": "stored experience",
}

MAX_TITLE = 160  # characters of what a cell says when it is pointed at


def matrix(subject: SubjectReport, report: Report, index: Index) -> Node:
    """The table of a subject, and how to read it."""
    places = sorted(
        dict.fromkeys(subject.managers),
        key=lambda place: [name for name, _ in subject.managers].index(place[0]),
    )
    result = rows(subject, report, index, places)
    if not result or not places:
        return None
    families = [
        (family, list(group)) for family, group in groupby(result, key=lambda row: row[0][:3])
    ]
    table = tag(
        "div",
        _head(places),
        [_family(family, group, places, subject.spec) for family, group in families],
        class_=f"matrix {_width(places)}",
    )
    return (
        sideways(table, f"Checks of {subject.spec} by place"),
        _legend(result),
        _not_played(subject, report),
    )


def _width(places: Sequence[Place]) -> str:
    return (
        "few"
        if len(places) <= 3
        else "some"
        if len(places) <= 6
        else "many"
        if len(places) <= 12
        else "most"
    )


def _head(places: Sequence[Place]) -> Element:
    """Managers over their start methods. The tables below name the place of each column
    themselves.
    """
    groups = [
        (manager, list(group)) for manager, group in groupby(places, key=lambda place: place[0])
    ]
    managers = [
        tag("span", manager, class_=f"over span-{min(len(group), 4)}") for manager, group in groups
    ]
    methods = [tag("span", method or "", class_="cell") for _, method in places]
    first = tag("span", class_="label")
    return tag(
        "div",
        tag("div", first, managers, class_="line"),
        tag("div", first, methods, class_="line"),
        class_="heads",
        aria_hidden="true",
    )


def _family(family: str, group: Sequence[Row], places: Sequence[Place], spec: str) -> Element:
    columns = list(zip(*(cells for _, cells in group), strict=True))
    texts = Counter(cell.state for column in columns for cell in column if cell.state != ABSENT)
    words = ", ".join(
        f"{texts[state]} {WORDS.get(state, state)}" for state in ORDER if texts[state]
    )
    name = tag(
        "span",
        tag("b", family),
        f" {FAMILIES.get(family, '')}",
        tag("span", f": {words}", class_="unseen"),
        class_="label",
    )
    summary = tag("summary", name, [_sum(column) for column in columns], class_="line")
    return tag(
        "details",
        summary,
        _table(f"{family} {FAMILIES.get(family, '')}, {spec}", group, places),
        open=_is_found(texts),
    )


def _is_found(texts: Counter[str]) -> bool:
    return bool(texts[ERROR] or texts[WARNING])


def _sum(column: Iterable[Cell]) -> Element:
    """The worst of a family in a place, and how many."""
    states = Counter(cell.state for cell in column)
    worst = next(state for state in ORDER if states[state])
    words = f"{SIGNS[worst]} {states[worst]}" if worst != ABSENT else ""
    return tag("span", words, class_=f"cell {worst}", aria_hidden="true")


def _table(caption: str, group: Sequence[Row], places: Sequence[Place]) -> Element:
    names = entries()
    head = tag(
        "tr",
        tag("th", "rule", scope="col"),
        [tag("th", name_places([place]), scope="col") for place in places],
    )
    body = [
        tag(
            "tr",
            tag(
                "th", tag("code", code), " ", names[code].name if code in names else "", scope="row"
            ),
            [_cell(cell) for cell in cells],
        )
        for code, cells in group
    ]
    columns = tag("colgroup", tag("col", class_="first"))
    return tag(
        "table",
        tag("caption", caption, class_="unseen"),
        columns,
        tag("thead", head, class_="unseen"),
        tag("tbody", body),
    )


def _cell(cell: Cell) -> Element:
    shown: Node = SIGNS[cell.state]
    title = clipped(cell.title, MAX_TITLE)
    if cell.link:
        shown = tag(
            "a",
            SIGNS[cell.state],
            href=f"#{cell.link}",
            title=title,
            aria_label=f"{cell.state}: {title}",
        )
    elif title:
        shown = tag("span", SIGNS[cell.state], title=title)
    return tag("td", shown, class_=cell.state)


def _legend(result: Sequence[Row]) -> Element:
    states = {cell.state for _, cells in result for cell in cells}
    return legend(
        (
            (state, f"{SIGNS[state]} {WORDS.get(state, state)}")
            for state in ORDER
            if state in states
        ),
        signs=True,
    )


def _not_played(subject: SubjectReport, report: Report) -> Node:
    """Managers of which nothing is known, and why."""
    reasons: dict[str, list[Place]] = {}
    for skipped in report.skipped:
        if skipped.subject == subject.spec and not skipped.code:
            reasons.setdefault(skipped.reason, []).append((skipped.manager, skipped.start_method))
    elements = [
        tag("li", tag("b", name_places(places) or number(len(places), "place")), f": {reason}")
        for reason, places in reasons.items()
    ]
    return (tag("p", "Not played:"), tag("ul", elements)) if elements else None
