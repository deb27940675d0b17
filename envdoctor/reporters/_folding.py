"""Making few things of many: one finding seen in several places, one reason that skipped many
checks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import SEVERITIES, Finding, Location, Skipped
from envdoctor.model.report import Report
from envdoctor.model.scenario import DIRECT

Place = tuple[str, str | None]  # manager, start method
SAME_CODE = "The code is that of {code}, above: paste it once."


@dataclass(frozen=True)
class Case:
    """Findings that say the same of one subject, seen in several places; `first` is the worst
    of them.
    """

    first: Finding
    findings: tuple[Finding, ...]

    @property
    def places(self) -> tuple[Place, ...]:
        """The places of the findings."""
        return tuple(
            dict.fromkeys((finding.manager, finding.start_method) for finding in self.findings)
        )

    @property
    def fingerprint(self) -> str:
        """Stable between runs, for any choice of places: a service that remembers findings by
        it must not lose one over a manager.
        """
        return self.first.but(manager="", start_method=None).fingerprint

    @property
    def blames(self) -> dict[str, tuple[Place, ...]]:
        """The places for each cause."""
        blames: dict[str, list[Place]] = {}
        for finding in self.findings:
            blames.setdefault(finding.blame, []).append((finding.manager, finding.start_method))
        return {blame: tuple(places) for blame, places in blames.items()}


def cases(findings: Iterable[Finding]) -> list[Case]:
    """Findings with the same code, message and subject as one, worst first; else in their order."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    findings = list(findings)
    for finding, same in zip(findings, identities(findings), strict=True):
        groups.setdefault(same, []).append(finding)
    made = [Case(min(group, key=_badness), tuple(group)) for group in groups.values()]
    return sorted(made, key=lambda case: _badness(case.first))


def identities(
    findings: Iterable[Finding], lines: dict[tuple[object, ...], Location | None] | None = None
) -> Iterator[tuple[object, ...]]:
    """The identity of each finding, which a reader sees once for several places. Two of one place
    are two where their lines differ, though they have one name: a training may forget to close an
    environment in several lines. `lines` has those of findings that came before, and gets these.
    """
    lines = {} if lines is None else lines
    for finding in findings:
        same = _identity(finding)
        place = (*same, finding.manager, finding.start_method)
        line = lines.setdefault(place, finding.location)
        yield same if line == finding.location else (*same, finding.location)


def _identity(finding: Finding) -> tuple[object, ...]:
    """Numbers and names differ between places (2 workers leave 2 files); the line to repair does
    not.
    """
    same: object = finding.key
    if same is None:
        same = (finding.location, finding.severity) if finding.location else finding.message
    return (finding.code, finding.subject, same)


def repeated_code(shown: Iterable[Case]) -> dict[str, str]:
    """The rule that shows the same lines to paste before a finding, by its fingerprint: who pastes
    them twice has two methods of one name.
    """
    codes: dict[tuple[object, ...], str] = {}
    repeated = {}
    for first in (case.first for case in shown):
        same = (first.subject, first.remedy.commands)
        if first.remedy.changes and codes.setdefault(same, first.code) != first.code:
            repeated[first.fingerprint] = codes[same]
    return repeated


def _badness(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)


def name_places(places: Iterable[Place], workers: dict[Place, int] | None = None) -> str:
    """`direct; gymnasium-async x2, fork/spawn`."""
    methods: dict[str, list[str]] = {}
    for manager, method in places:
        methods.setdefault(manager, []).extend([method] if method else [])
    return "; ".join(
        manager
        + _times(manager, workers or {})
        + (", " + "/".join(dict.fromkeys(names)) if names else "")
        for manager, names in methods.items()
        if manager
    )


def _times(manager: str, workers: dict[Place, int]) -> str:
    numbers = [number for (name, _), number in workers.items() if name == manager]
    return f" x{max(numbers)}" if numbers and manager != "direct" else ""


def worker_numbers(report: Report) -> dict[Place, int]:
    """Return the number of instances in each place."""
    return {trace.scenario.place: trace.scenario.workers for _, trace in report.traces}


def by_family(codes: Iterable[str]) -> str:
    """`CLS 18, HNG 5`."""
    return ", ".join(
        f"{family} {number}"
        for family, number in sorted(Counter(code[:3] for code in codes).items())
    )


def skipped_here(report: Report) -> list[Skipped]:
    """Return the rules that could not be judged, less those that have nothing to count on this
    machine: a reader without a GPU does not ask about it. All of them where nothing else was
    judged.
    """
    named = [skipped for skipped in report.skipped if not skipped.nothing_to_count]
    return named if named or report.passed or report.findings else list(report.skipped)


def where_skipped(skipped: Iterable[Skipped], reason: str) -> str:
    """` [gymnasium-async, fork/spawn]`, where checks were skipped for a reason; nothing where
    that is without a manager, as most are.
    """
    places = dict.fromkeys(
        (skipped.manager, skipped.start_method)
        for skipped in skipped
        if skipped.code and skipped.reason == reason
    )
    return f" [{name_places(places)}]" if {manager for manager, _ in places} - {DIRECT} else ""


def by_reason(skipped: Iterable[Skipped]) -> list[tuple[str, list[str]]]:
    """Each reason with what it kept from being judged (codes, or places where a whole manager
    was), most first.
    """
    reasons: dict[str, list[str]] = {}
    for element in skipped:
        what = (
            element.code
            or name_places([(element.manager, element.start_method)])
            or element.subject
        )
        reasons.setdefault(element.reason, []).append(what)
    ordered = sorted(reasons.items(), key=lambda item: -len(item[1]))
    return [(reason, sorted(set(whats))) for reason, whats in ordered]
