"""The run: command, versions, every scenario, and what was suppressed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from envdoctor.model.finding import OPEN
from envdoctor.model.report import Report
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.reporters._folding import name_places
from envdoctor.reporters._showing import bounded
from envdoctor.reporters._verdict import number
from envdoctor.reporters.html.columns import duration
from envdoctor.reporters.html.markup import Element, Node, tag
from envdoctor.reporters.html.parts import folded, sideways, table, terms

MAX_SCENARIOS = 1_500  # rows
MAX_ACCEPTED = 100


def run(report: Report) -> Element:
    """The last section."""
    made_on = report.made_on
    platform = " ".join(filter(None, (made_on.system, made_on.release, made_on.machine)))
    entries = (
        ("command", tag("code", " ".join(report.command)) if report.command else None),
        ("envdoctor", report.version),
        ("platform", platform),
        ("Python of envdoctor", made_on.python),
        ("seed", str(report.seed)),
    )
    return tag(
        "section",
        tag("h2", "The run"),
        terms(entries, "particulars"),
        list(_accepted(report)),
        _scenarios(report),
        id="run",
    )


def _accepted(report: Report) -> Iterator[Node]:
    """Findings that do not count, and why."""
    accepted = [finding for finding in report.findings if finding.status != OPEN]
    items = [
        tag(
            "li",
            tag("code", finding.code),
            f" {finding.subject} [{name_places([(finding.manager, finding.start_method)])}],"
            f" {finding.status}: ",
            bounded(finding.message),
            f" ({finding.status_reason})" if finding.status_reason else None,
        )
        for finding in accepted[:MAX_ACCEPTED]
    ]
    if items:
        yield folded(f"{number(len(accepted), 'finding')} suppressed", tag("ul", items))


def _scenarios(report: Report) -> Node:
    if not report.traces:
        return None
    shown = report.traces[:MAX_SCENARIOS]
    named = len(report.subjects) > 1
    head = (*(("environment",) if named else ()), "scenario", "played in", "took", "ended", "verbs")
    element = table(head, (_row(spec, trace, named) for spec, trace in shown))
    ends = Counter(trace.outcome.kind for _, trace in report.traces)
    words = ", ".join(f"{count} {kind}" for kind, count in ends.most_common())
    more = (
        tag("p", f"and {len(report.traces) - len(shown):,} more, with --format json")
        if len(report.traces) > len(shown)
        else None
    )
    return folded(
        f"{number(len(report.traces), 'scenario')}: {words}", sideways(element, "Scenarios"), more
    )


def _row(spec: str, trace: Trace, named: bool) -> tuple[Node, ...]:
    scenario, outcome = trace.scenario, trace.outcome
    ended = outcome.kind + (
        f" in {outcome.verb}" if outcome.verb and outcome.kind != FINISHED else ""
    )
    where = name_places([scenario.place]) + (", null environment" if scenario.control else "")
    style = None if outcome.kind == FINISHED else "bad"
    cells = (
        scenario.name,
        where,
        duration(outcome.seconds),
        tag("span", ended, class_=style),
        tag("code", bounded(scenario.script)),
    )
    return (spec, *cells) if named else cells
