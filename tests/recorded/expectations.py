"""What must hold of a recorded case, whatever its snapshot says."""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import NOTE
from envdoctor.model.report import Report
from tests.recorded.catalogue import Case


def failures(case: Case, report: Report) -> list[str]:
    """What is wrong in the report on a case; nothing where all is right."""
    return list(_failures(case, report))


def _failures(case: Case, report: Report) -> Iterator[str]:
    reported = {finding.code for finding in report.findings}
    for code in case.says:
        if code not in reported:
            yield f"{code} is not reported"
    for finding in report.findings:
        if finding.severity != NOTE and finding.code not in {*case.says, *case.may}:
            place = " ".join(filter(None, (finding.manager, finding.start_method)))
            yield f"unexpected {finding.severity} {finding.code} [{place}]: {finding.message}"
    passed = {item.code for item in report.passed}
    for code in case.passes:
        if code not in passed:
            yield f"{code} is silent, but not judged"
    reasons = {(skipped.code, skipped.reason) for skipped in report.skipped}
    for code, other in case.gives_way:
        if (code, f"explained by {other}") not in reasons:
            yield f"{code} is not explained by {other}"
    for finding in report.findings:
        if finding.code in case.says and not finding.remedy.text:
            yield f"{finding.code} has no remedy"
    if report.incomplete:
        yield f"the recording is incomplete: {report.incomplete}"
