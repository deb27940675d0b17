"""The results of a sweep as one report, for what judges or shows reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from envdoctor import __version__
from envdoctor.model.finding import Finding, Passed
from envdoctor.model.report import INCONCLUSIVE, Report, SubjectReport
from envdoctor.sweep.results import Result, worst_first
from envdoctor.verdict import triage

MAX_NAMED = 3  # environments that a sentence names


def report_of(
    results: Sequence[Result], command: tuple[str, ...] = (), unexamined: int = 0
) -> Report:
    """The report on all results, before anybody's policy. It has no traces: evidence is in the
    saved runs. `unexamined` is how many environments of the sweep have no result.
    """
    report = Report(
        subjects=tuple(map(_subject, results)),
        findings=triage.order(finding for result in results for finding in result.judged.findings),
        passed=tuple(passed for result in results for passed in result.judged.passed),
        skipped=tuple(skipped for result in results for skipped in result.judged.skipped),
        traces=(),
        verdict=INCONCLUSIVE,
        seconds=sum(result.judged.seconds for result in results),
        command=command,
        version=__version__,
        incomplete=incomplete(results, unexamined),
    )
    return replace(report, verdict=triage.verdict_on(report))


def _subject(result: Result) -> SubjectReport:
    judged = result.judged
    every: tuple[Passed | Finding, ...] = (*judged.passed, *judged.findings)
    places = [(item.manager, item.start_method) for item in every]
    return SubjectReport(
        spec=result.identity.spec,
        env_class=judged.env_class,
        source=judged.source,
        managers=tuple(dict.fromkeys(places)),
        frameworks=judged.frameworks,
        python=judged.python,
        seconds=judged.seconds,
    )


def incomplete(results: Sequence[Result], unexamined: int) -> str:
    """Return the reason why a part was not judged, in a sentence, or nothing."""
    unclear = [
        result.label for result in results if result.judged.verdict == INCONCLUSIVE or result.reason
    ]
    more = f" and {len(unclear) - MAX_NAMED} more" if len(unclear) > MAX_NAMED else ""
    parts = []
    if unclear:
        parts.append(f"could not be judged: {', '.join(unclear[:MAX_NAMED])}{more}")
    if unexamined:
        parts.append(f"not examined yet: {unexamined}")
    return "; ".join(parts)


def settled(results: Sequence[Result], settle: Callable[[Report], Report]) -> tuple[Result, ...]:
    """The results with severities and statuses as a team decided, worst first. A policy knows an
    environment by its SPEC: of several results of one SPEC, each is held against it alone.
    """
    layers: dict[str, list[Result]] = {}
    for result in results:
        layers.setdefault(result.identity.spec, []).append(result)
    matches: list[Result] = []
    for number in range(max(map(len, layers.values()), default=0)):
        layer = [several[number] for several in layers.values() if number < len(several)]
        matches += _settled_once(layer, settle)
    return worst_first(matches)


def _settled_once(layer: Sequence[Result], settle: Callable[[Report], Report]) -> Iterator[Result]:
    report = settle(report_of(layer))
    findings: dict[str, list[Finding]] = {}
    for finding in report.findings:
        findings.setdefault(finding.subject, []).append(finding)
    for result in layer:
        mine = tuple(findings.pop(result.identity.spec, ()))
        yield replace(result, judged=replace(result.judged, findings=mine))
