"""JUnit XML: a suite for each subject, a case for each rule in each place, so that what passed is
seen as well.

A finding fails its case from `--fail-on` on, as it does the command; a lesser one is shown in the
output of a case that passed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from envdoctor.model.finding import ERROR, OPEN, SEVERITIES, Finding, Passed, Skipped
from envdoctor.model.report import Report, SubjectReport
from envdoctor.reporters._folding import Case, Place, name_places, worker_numbers
from envdoctor.reporters._wording import account, commands, listed, safe_line, why
from envdoctor.rules.engine.registry import catalogue

EVERYTHING = "every rule"  # the case of a manager that could not be played at all


@dataclass
class Test:
    """The result of one rule in one place."""

    findings: list[Finding] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


Judged = Finding | Passed | Skipped
Tests = dict[tuple[str, Place], Test]


def render(report: Report, *, root: str = "", fail_on: str = ERROR, **_options: object) -> str:
    """The whole document; paths below `root` are relative to it."""
    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    suites = ET.Element("testsuites", name="envdoctor", time=f"{report.seconds:.3f}")
    for subject in _subjects(report):
        suites.append(_suite(subject, report, failing, root))
    for count in ("tests", "failures", "errors"):
        suites.set(count, str(sum(int(suite.get(count, "0")) for suite in suites)))
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def _subjects(report: Report) -> list[SubjectReport]:
    """Those that were reported on, and those that something was said of all the same."""
    known = {subject.spec: subject for subject in report.subjects}
    judged: tuple[Judged, ...] = (*report.findings, *report.passed, *report.skipped)
    for item in judged:
        known.setdefault(item.subject, SubjectReport(item.subject))
    return list(known.values())


def _tests(spec: str, report: Report) -> Tests:
    tests: Tests = {}
    for finding in report.findings:
        if finding.subject == spec:
            tests.setdefault(_key(finding), Test()).findings.append(finding)
    for skipped in report.skipped:
        if skipped.subject == spec:
            tests.setdefault(_key(skipped), Test()).skipped.append(skipped)
    for passed in report.passed:
        if passed.subject == spec:
            tests.setdefault(_key(passed), Test())
    return dict(
        sorted(tests.items(), key=lambda entry: (entry[0][1][0], entry[0][1][1] or "", entry[0][0]))
    )


def _key(judged: Judged) -> tuple[str, Place]:
    return judged.code, (judged.manager, judged.start_method)


def _suite(
    subject: SubjectReport, report: Report, failing: tuple[str, ...], root: str
) -> ET.Element:
    suite = ET.Element(
        "testsuite", name=safe_line(subject.spec), time=f"{subject.seconds:.3f}", errors="0"
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in _properties(subject, report):
        ET.SubElement(properties, "property", name=safe_line(name), value=safe_line(value))
    for (code, place), test in _tests(subject.spec, report).items():
        suite.append(_case(subject.spec, code, place, test, report, failing, root))
    for count, tag in (
        ("tests", "testcase"),
        ("failures", "testcase/failure"),
        ("skipped", "testcase/skipped"),
    ):
        suite.set(count, str(len(suite.findall(tag))))
    return suite


def _properties(subject: SubjectReport, report: Report) -> Iterator[tuple[str, str]]:
    yield "envdoctor", report.version
    yield "seed", str(report.seed)
    yield "verdict", report.verdict
    if report.interrupted:
        yield "interrupted", "true"
    if subject.python:
        yield "python", subject.python
    yield from sorted(subject.frameworks.items())


def _case(
    spec: str,
    code: str,
    place: Place,
    test: Test,
    report: Report,
    failing: tuple[str, ...],
    root: str,
) -> ET.Element:
    where = name_places([place], worker_numbers(report))
    case = ET.Element(
        "testcase",
        classname=safe_line(spec) + (f" [{safe_line(where)}]" if where else ""),
        name=_title(code, test),
    )
    failures = [
        finding
        for finding in test.findings
        if finding.status == OPEN and finding.severity in failing
    ]
    accepted = [finding for finding in test.findings if finding.status != OPEN]
    others = [finding for finding in test.findings if finding not in failures]
    if failures:
        failure = ET.SubElement(
            case, "failure", type=safe_line(failures[0].severity), message=_message(failures, root)
        )
        failure.text = "\n\n".join(_body(failure, root) for failure in failures)
    elif accepted and len(accepted) == len(test.findings):
        ET.SubElement(case, "skipped", message=why(accepted[0]))
    elif test.skipped and not test.findings:
        ET.SubElement(
            case,
            "skipped",
            message=safe_line("; ".join(dict.fromkeys(skipped.reason for skipped in test.skipped))),
        )
    if others:
        ET.SubElement(case, "system-out").text = "\n\n".join(_body(other, root) for other in others)
    return case


def _title(code: str, test: Test) -> str:
    names = {entry.code: entry.name for entry in catalogue()} | {
        finding.code: finding.name for finding in test.findings
    }
    return safe_line(f"{code} {names.get(code, '')}".strip() or EVERYTHING)


def _message(findings: list[Finding], root: str) -> str:
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return safe_line(findings[0].message, root) + more


def _body(finding: Finding, root: str) -> str:
    """The whole account of one finding."""
    standing = "" if finding.status == OPEN else f"{why(finding)}: "
    lines = [f"{standing}{finding.severity}: {safe_line(finding.message, root)}"]
    lines += listed(account(Case(finding, (finding,)), root))
    return "\n".join([*lines, *(f"    {line}" for line in commands(finding))])
