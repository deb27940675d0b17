"""What an environment comes to, in a word and a sign."""

from __future__ import annotations

from envdoctor.model.finding import ERROR, OPEN, WARNING
from envdoctor.model.report import Report, SubjectReport
from envdoctor.model.trace import FINISHED
from envdoctor.reporters.html.markup import Element, tag

CLEAR, UNJUDGED = "clear", "unjudged"
SIGNS = {ERROR: "✗", WARNING: "!", CLEAR: "✓", UNJUDGED: "?"}
WORDS = {ERROR: "failed", WARNING: "warned", CLEAR: "nothing found", UNJUDGED: "not judged"}


def condition(subject: SubjectReport, report: Report) -> str:
    """error, warning, clear or unjudged: what the whole subject comes to."""
    mine = {
        finding.severity
        for finding in report.findings
        if finding.subject == subject.spec and finding.status == OPEN
    }
    worst = next((severity for severity in (ERROR, WARNING) if severity in mine), None)
    if worst:
        return worst
    unfinished = any(
        spec == subject.spec and trace.outcome.kind != FINISHED and not trace.scenario.fault
        for spec, trace in report.traces
    )
    ended = any(check.ended for check in subject.growth)
    return (
        CLEAR
        if any(one.subject == subject.spec for one in report.passed)
        and not unfinished
        and not ended
        else UNJUDGED
    )


def sign(state: str) -> Element:
    """A round sign with its word for readers who do not see it."""
    return tag(
        "span",
        tag("span", SIGNS[state], aria_hidden="true"),
        tag("span", WORDS[state], class_="unseen"),
        class_=f"sign {state}",
    )
