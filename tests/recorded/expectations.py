"""Conditions that a recorded case must meet, independent of its snapshot."""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.report import Report
from tests.company.catalogue import BY_NAME
from tests.company.playing import HIDDEN, fate, is_judged
from tests.recorded.catalogue import Case


def failures(case: Case, report: Report) -> list[str]:
    """Return the faults of the report on a case, or nothing where all is right."""
    if report.incomplete:
        return [f"the recording is incomplete: {report.incomplete}"]
    if case.company:
        return list(_hidden(case, report))
    return [*_missing(case, report), *_unexpected(case, report), *_unjudged(case, report)]


def _missing(case: Case, report: Report) -> Iterator[str]:
    reported = {finding.code for finding in report.findings}
    yield from (f"{code} is not reported" for code in case.says if code not in reported)
    for finding in report.findings:
        if finding.code in case.says and not finding.remedy.text:
            yield f"{finding.code} has no remedy"
    said = "\n".join(map(_text, report.findings))
    yield from (f"{name!r} is not named" for name in case.names if name not in said)
    yield from (f"{name!r} is named" for name in case.avoids if name in said)


def _text(finding: Finding) -> str:
    """Return what a report shows of a finding."""
    place = finding.location
    where = [f"{place.file}:{place.line} {place.function}"] if place else []
    remedy = finding.remedy
    return "\n".join([finding.message, *where, remedy.text, *remedy.commands])


def _unexpected(case: Case, report: Report) -> Iterator[str]:
    for finding in report.findings:
        if finding.severity != NOTE and finding.code not in {*case.says, *case.may}:
            place = " ".join(filter(None, (finding.manager, finding.start_method)))
            yield f"unexpected {finding.severity} {finding.code} [{place}]: {finding.message}"


def _unjudged(case: Case, report: Report) -> Iterator[str]:
    passed = {item.code for item in report.passed}
    for code in case.passes:
        if code not in passed:
            yield f"{code} is silent, but not judged"
    reasons = {(skipped.code, skipped.reason) for skipped in report.skipped}
    for code, other in case.gives_way:
        if (code, f"explained by {other}") not in reasons:
            yield f"{code} is not explained by {other}"


def _hidden(case: Case, report: Report) -> Iterator[str]:
    """The illnesses of a company that are neither reported, nor not judged with a reason."""
    document = {
        "findings": [vars(finding) for finding in report.findings],
        "passed": [vars(item) for item in report.passed],
        "skipped": [vars(item) for item in report.skipped],
    }
    for name in case.company:
        if is_judged(BY_NAME[name], case.command):
            result, why = fate(BY_NAME[name], document)
            if result == HIDDEN:
                yield f"{name} is hidden: {why}"
