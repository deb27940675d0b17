"""The index of a sweep as one HTML file: environments down, families of rules across, the worst
environment first, each with a link to its page. Pure.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from envdoctor.model.finding import SEVERITIES
from envdoctor.model.report import INCONCLUSIVE
from envdoctor.model.units import duration
from envdoctor.reporters.html.markup import Element, Node, Verbatim, tag, written
from envdoctor.reporters.html.matrix import FAMILIES
from envdoctor.reporters.html.page import head, style
from envdoctor.sweep.comparing import SweepComparison
from envdoctor.sweep.results import Result
from envdoctor.sweep.texts import MAX_CHANGES, summary, totals, verdict, worst

FAMILY = 3  # letters of a code
MAX_WORST = 200  # characters of the worst finding of a row


def render(
    results: Sequence[Result],
    pages: frozenset[str],
    folder: str,
    version: str,
    changed: SweepComparison | None = None,
    unexamined: int = 0,
) -> str:
    """The index of results that are worst first. `pages` are the keys that have a page in
    `folder`; `changed` is what changed since an earlier sweep, if there was one.
    """
    judged = {name for result in results for name in (*_passed(result), *_reported(result))}
    families = [name for name in FAMILIES if name in judged]
    main = tag(
        "main",
        tag("h1", totals(results)),
        tag("p", f"Not examined yet: {unexamined}.") if unexamined else None,
        _changes(changed),
        tag("div", _table(results, families, pages, folder), class_="scroll", tabindex="0"),
        id="main",
    )
    foot = tag("footer", f"envdoctor {version}. This page asks no network for anything.")
    body = tag("body", main, foot, tag("script", Verbatim(script())))
    top = head(totals(results), policy(), own_style())
    return f"<!doctype html>\n{written(tag('html', top, body, lang='en'))}\n"


@cache
def script() -> str:
    """Return the script that sorts the table, in ASCII."""
    return files(__package__).joinpath("index.js").read_text(encoding="ascii")


@cache
def own_style() -> str:
    """The style sheet of reports and that of the table, in ASCII."""
    return style() + files(__package__).joinpath("index.css").read_text(encoding="ascii")


def policy() -> str:
    """Return the page's policy: drawn with its own style sheet, running its own script, and nothing
    else.
    """
    return (
        f"default-src 'none'; style-src '{_hash(own_style())}'; script-src '{_hash(script())}';"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("ascii")).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _changes(changed: SweepComparison | None) -> Node:
    """Return the changes since the earlier sweep, the worst news first."""
    if changed is None:
        return None
    items = [
        tag(
            "li",
            tag("span", change.kind, class_=f"word {change.finding.severity}"),
            f" {change.finding.code} {change.label}: {change.finding.message}",
            [f"; {words}" for words in change.words],
        )
        for change in changed.changes[:MAX_CHANGES]
    ]
    lost = [tag("li", f"inconclusive now: {label}: {reason}") for label, reason in changed.lost]
    suspects = ", ".join(f"{name} {was} to {now}" for name, was, now in changed.suspects)
    return tag(
        "section",
        tag("h3", "Since the earlier sweep"),
        tag("p", f"{summary(changed)}."),
        tag("ul", items, lost, class_="changes") if items or lost else None,
        tag("p", f"Packages that differ: {suspects}.") if suspects and items else None,
    )


def _table(
    results: Sequence[Result], families: Iterable[str], pages: frozenset[str], folder: str
) -> Element:
    families = list(families)
    heads = [
        _column("environment", "text"),
        _column("verdict", "number"),
        *(_column(FAMILIES[name], "number", name, "family") for name in families),
        _column("time", "number"),
        _column("worst finding", "text"),
    ]
    ranked = zip(range(len(results), 0, -1), results, strict=True)
    rows = [_row(result, rank, families, pages, folder) for rank, result in ranked]
    return tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), class_="sweep records")


def _column(name: str, kind: str, title: str | None = None, place: str | None = None) -> Element:
    button = tag("button", name, type="button", title=title)
    return tag("th", button, scope="col", data_kind=kind, class_=place or kind)


def _row(
    result: Result, rank: int, families: list[str], pages: frozenset[str], folder: str
) -> Element:
    passed = _passed(result)
    name: Node = result.label
    if result.key in pages:
        name = tag("a", result.label, href=f"{folder}/{result.key}.html")
    return tag(
        "tr",
        tag("td", name, class_="name"),
        tag("td", verdict(result), class_=_condition(result), data_value=rank),
        [_cell(result, family, passed) for family in families],
        tag("td", duration(result.judged.seconds), data_value=f"{result.judged.seconds:.1f}"),
        tag("td", worst(result)[:MAX_WORST], class_="text"),
    )


def _condition(result: Result) -> str | None:
    severity = next((severity for severity in SEVERITIES[:2] if result.count(severity)), None)
    return severity or (None if result.judged.verdict == INCONCLUSIVE else "passed")


def _cell(result: Result, family: str, passed: set[str]) -> Element:
    """Return a cell with the number of a family's findings, colored by the worst of them; a tick
    where its rules were judged without a finding.
    """
    mine = [finding for finding in result.findings if finding.code.startswith(family)]
    if mine:
        worst_kind = min(mine, key=lambda finding: SEVERITIES.index(finding.severity)).severity
        weight = len(mine) + 1000 * (len(SEVERITIES) - SEVERITIES.index(worst_kind))
        return tag("td", len(mine), class_=worst_kind, data_value=weight)
    if family in passed:
        return tag("td", "\u2713", class_="passed", data_value=0)
    return tag("td", "", data_value=-1)


def _passed(result: Result) -> set[str]:
    """The families of which a rule looked and found nothing."""
    return {passed.code[:FAMILY] for passed in result.judged.passed}


def _reported(result: Result) -> set[str]:
    return {finding.code[:FAMILY] for finding in result.judged.findings}
