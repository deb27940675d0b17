"""The top of the page: the verdict in one sentence, the figures, and the way to each finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from envdoctor.model.finding import (
    ENVIRONMENT,
    ERROR,
    INTERACTION,
    MANAGER,
    NOTE,
    WARNING,
    WRAPPER,
    Finding,
)
from envdoctor.model.report import INCONCLUSIVE, Report
from envdoctor.model.trace import FINISHED
from envdoctor.reporters._condition import CLEAR, UNJUDGED, condition
from envdoctor.reporters._folding import Case, by_reason
from envdoctor.reporters._showing import bounded
from envdoctor.reporters._verdict import number
from envdoctor.reporters.html.cards import badge, headed
from envdoctor.reporters.html.index import Index
from envdoctor.reporters.html.markup import Element, Node, tag
from envdoctor.reporters.html.parts import breakable, sign

MAX_LISTED = 12  # cases that are listed before the rest is folded

WHOSE = {
    ENVIRONMENT: "The cause is in the environment",
    WRAPPER: "The cause is in a wrapper around the environment",
    MANAGER: "The cause is in the vectorizer: it happens with any environment",
    INTERACTION: "The cause is this combination: each works without the other",
}


def headline(report: Report) -> str:
    """`CartPole-v1 passed`, `envdoctor.demo:Arm failed`, `2 of 5 environments failed`."""
    states = [condition(subject, report) for subject in report.subjects]
    failed = sum(state in (ERROR, WARNING) for state in states)
    text = "not all could be judged" if report.passed else "nothing could be judged"
    prefix = "Interrupted. So far, " if report.interrupted else ""
    if failed and len(states) > 1:
        return f"{prefix}{failed} of {number(len(states), 'environment')} failed"
    name = report.subjects[0].spec if len(states) == 1 else number(len(states), "environment")
    if report.verdict == INCONCLUSIVE:
        return f"{prefix}{name}: {text}"
    return f"{prefix}{name} {report.verdict_word}"


def verdict(report: Report, index: Index) -> Element:
    """The first section."""
    states = {condition(subject, report) for subject in report.subjects}
    worst = next(
        (state for state in (ERROR, WARNING, UNJUDGED, CLEAR) if state in states), UNJUDGED
    )
    head = tag("div", sign(worst), tag("h1", breakable(headline(report))), class_="headline")
    return tag(
        "section",
        head,
        _sentence(report, index),
        _figures(report, index),
        _list(report, index),
        class_=f"verdict {worst}",
        id="verdict",
    )


def _sentence(report: Report, index: Index) -> Element:
    """The defect, its place, its cause and its remedy; of several, the worst."""
    if index.causes and index.causes[0][0].first.severity != NOTE:
        return tag(
            "p", list(_worst(index.causes[0][0].first, len(report.subjects) > 1)), class_="lead"
        )
    finished = sum(
        trace.outcome.kind == FINISHED and not trace.scenario.control for _, trace in report.traces
    )
    if report.passed:
        noted = f"; {number(len(index.cases), 'note')} below" if index.cases else ""
        words = (
            f"{number(len(report.passed), 'check')} passed in"
            f" {number(finished, 'scenario')}{noted}."
        )
    else:
        reasons = by_reason(report.skipped)
        words = "No check could be judged" + (f": {bounded(reasons[0][0])}." if reasons else ".")
    return tag("p", words, class_="lead")


def _worst(first: Finding, named: bool) -> Iterator[Node]:
    yield f"{first.subject}: " if named else None
    yield tag("strong", bounded(first.message).rstrip("."))
    if first.location:
        function = f" in {first.location.function}" if first.location.function else ""
        yield (
            ", ",
            tag("code", f"{first.location.file}:{first.location.line}", class_="path"),
            function,
        )
    yield (
        f". {WHOSE.get(first.blame, 'The cause is unknown')}: "
        if first.blame != MANAGER
        else f". {WHOSE[MANAGER]}. "
    )
    yield bounded(first.remedy.text).rstrip(":").rstrip(".") + "."


def _figures(report: Report, index: Index) -> Element:
    """Counts of the findings as they are shown: one finding seen in four places is one."""
    result = Counter(case.first.severity for case in index.cases)
    finished = sum(
        trace.outcome.kind == FINISHED and not trace.scenario.control for _, trace in report.traces
    )
    lost = sum(
        trace.outcome.kind != FINISHED and not trace.scenario.control for _, trace in report.traces
    )
    figures = (
        (result[ERROR], "error", ERROR),
        (result[WARNING], "warning", WARNING),
        (result[NOTE], "note", NOTE),
        (len(report.passed), "check passed", CLEAR),
        (len(report.skipped), "skipped", ""),
        (finished, "scenario played", ""),
        (lost, "did not finish", WARNING),
    )
    elements = [
        tag("li", tag("b", f"{count:,}"), f" {_plural(count, noun)}", class_=style or None)
        for count, noun, style in figures
        if count
    ]
    return tag("ul", elements, tag("li", tag("b", f"{report.seconds:.1f}"), " s"), class_="figures")


def _plural(count: int, noun: str) -> str:
    """`checks passed` of `check passed`; a verb has no plural."""
    first, _, rest = noun.partition(" ")
    return (
        noun if count == 1 or first in ("skipped", "did") else " ".join((first + "s", rest)).strip()
    )


def _list(report: Report, index: Index) -> Node:
    """The way to every case; notes, and what would be too many, folded."""
    leaders = [cause[0] for cause in index.causes]
    shown = [case for case in leaders if case.first.severity != NOTE][:MAX_LISTED]
    shown = shown or leaders[:MAX_LISTED]
    rest = leaders[len(shown) :]
    named = len(report.subjects) > 1
    if not shown:
        return None
    notes = all(case.first.severity == NOTE for case in rest)
    opener = tag("summary", f"and {number(len(rest), 'note') if notes else f'{len(rest):,} more'}")
    folded = tag("details", opener, _way(rest, index, named)) if rest else None
    return tag("nav", _way(shown, index, named), folded, aria_label="Findings")


def _way(cases: Sequence[Case], index: Index, named: bool) -> Element:
    return tag(
        "ul", [_step(case.first, index.anchor(case), named) for case in cases], class_="found"
    )


def _step(first: Finding, anchor: str, named: bool) -> Element:
    link = tag("a", tag("code", first.code), " ", headed(first)[0], href=f"#{anchor}")
    return tag(
        "li",
        badge(first.severity),
        " ",
        link,
        tag("span", f" {first.subject}", class_="quiet") if named else None,
    )
