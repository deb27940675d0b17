"""The condition of a subject, in one word."""

from __future__ import annotations

from envdoctor.model.finding import ERROR, OPEN, WARNING
from envdoctor.model.report import Report, SubjectReport
from envdoctor.model.trace import FINISHED

CLEAR, UNJUDGED = "clear", "unjudged"


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
    open_ends = unfinished or report.incomplete or any(check.ended for check in subject.growth)
    judged = any(passed.subject == subject.spec for passed in report.passed)
    judged = judged and subject.spec not in report.not_found
    return CLEAR if judged and not open_ends else UNJUDGED
