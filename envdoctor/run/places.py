"""Findings by their places: under which manager and start method they were made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from envdoctor.model.evidence import BoundAddress, read_evidence
from envdoctor.model.finding import NOTE, Finding, Passed
from envdoctor.model.scenario import DIRECT
from envdoctor.verdict.triage import GROWTH

MAX_PLACES = 2  # managers under which a remedy is played, besides without one

Where = tuple[str, str, str | None]  # code, manager, start method
NONE: Counter[Where] = Counter()


def grouped(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings with the same rule and aim, those of several managers together; worst first."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if finding.remedy.aim is not None:
            groups.setdefault((finding.code, repr(finding.remedy.aim)), []).append(finding)
    return sorted(groups.values(), key=lambda group: group[0].severity == NOTE)


def managers_of(findings: Iterable[Finding]) -> list[tuple[str, str | None]]:
    """Return the managers and start methods of findings, besides none."""
    places = dict.fromkeys((finding.manager, finding.start_method) for finding in findings)
    return [place for place in places if place[0] != DIRECT][:MAX_PLACES]


def is_seen_once(finding: Finding) -> bool:
    """Return True for growth, which was followed through blocks of its own, and for a port that the
    kernel keeps: after the first play of it, not even a first instance can be made.
    """
    return (
        finding.code.startswith(GROWTH)
        or read_evidence(BoundAddress, finding.evidence).address_in_use
    )


def counted(findings: Iterable[Finding]) -> Counter[Where]:
    """Return how many findings each rule makes in each place."""
    return Counter(map(place_of, findings))


def place_of(finding: Finding | Passed) -> Where:
    """Return the rule and the place of a finding."""
    return (finding.code, finding.manager, finding.start_method)
