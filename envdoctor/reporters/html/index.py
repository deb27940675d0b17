"""The place of each finding in the page, and the groups that have one cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from envdoctor.model.evidence import Failing, read_evidence
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import HIGH, OPEN, SEVERITIES, Finding
from envdoctor.model.named_places import NamedPlaces
from envdoctor.model.report import Report
from envdoctor.model.scenario import DIRECT
from envdoctor.reporters._folding import Case, cases

#: Families of rules, in the order in which they end a training: it cannot begin, it stands still,
#: its workers die, it runs out of something; then what is left behind, and what is wrong in the
#: numbers.
FAMILIES = (
    "REG",
    "MAK",
    "HNG",
    "PRC",
    "VEC",
    "LEK",
    "BUF",
    "CLS",
    "ASY",
    "RUS",
    "DET",
    "SFX",
    "API",
    "TRN",
)

Cause = tuple[Case, ...]  # cases of one cause, the worst first


def worst_first(cases: Iterable[Case]) -> list[Case]:
    """By severity, certainty, and what comes of it; else in their order."""
    return sorted(cases, key=lambda case: _rank(case.first))


def _rank(finding: Finding) -> tuple[int, bool, int]:
    family = finding.code[:3]
    return (
        SEVERITIES.index(finding.severity),
        finding.confidence != HIGH,
        FAMILIES.index(family) if family in FAMILIES else len(FAMILIES),
    )


def by_cause(cases: Sequence[Case]) -> list[Cause]:
    """The cases in their order; those that share a cause with an earlier one stand with it."""
    groups: list[list[Case]] = []
    signs: list[set[tuple[object, ...]]] = []
    for case in cases:
        mine = set(_signs(case))
        at = next((index for index, theirs in enumerate(signs) if mine & theirs), None)
        if at is None:
            groups.append([case])
            signs.append(mine)
        else:
            groups[at].append(case)
            signs[at] |= mine
    return [tuple(sorted(group, key=_rooted)) for group in groups]


def _rooted(case: Case) -> tuple[int, bool]:
    """Among cases of one cause, the worst; and one that is seen without a manager says more."""
    alone = any(finding.manager == DIRECT for finding in case.findings)
    return SEVERITIES.index(case.first.severity), not alone


def _signs(case: Case) -> Iterator[tuple[object, ...]]:
    """Signs that findings of one cause share, in one subject."""
    subject = case.first.subject
    for finding in case.findings:
        if finding.location is not None:  # one rule that says several things of one place
            place = (finding.location.file, finding.location.line)
            yield (subject, finding.code, *place)
        if finding.remedy.changes:
            yield (subject, "changes", finding.remedy.changes)
        yield from ((subject, *sign) for sign in _proofs(finding))


def _proofs(finding: Finding) -> Iterator[tuple[object, ...]]:
    error = read_evidence(Failing, finding.evidence).error
    frame = error.user_frame if error else None
    if error and frame:
        yield ("error", error.type, frame.file, frame.line)
    for place in NamedPlaces.in_evidence(finding.evidence).acquired_at:
        if place.line:
            yield ("taken", place.file, place.line)


Spot = tuple[str, str, str, str | None]  # subject, code, manager, start method


@dataclass(frozen=True)
class Index:
    """The open findings as cases, in the order of the page, and their anchors."""

    report: Report

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """Worst first."""
        result = cases(finding for finding in self.report.findings if finding.status == OPEN)
        return tuple(worst_first(result))

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """The cases, those of one cause together."""
        return tuple(by_cause(self.cases))

    def of(self, subject: str) -> tuple[Case, ...]:
        """Those of one subject."""
        return tuple(case for case in self.cases if case.first.subject == subject)

    def causes_of(self, subject: str) -> tuple[Cause, ...]:
        """The causes of one subject."""
        return tuple(cause for cause in self.causes if cause[0].first.subject == subject)

    @cached_property
    def subjects(self) -> dict[str, str]:
        """The anchor of each environment's section."""
        return {
            subject.spec: f"subject-{number}"
            for number, subject in enumerate(self.report.subjects, start=1)
        }

    def anchor(self, case: Case) -> str:
        """`finding-3`."""
        return self._anchors[id(case)]

    def at(self, spot: Spot) -> tuple[Case, ...]:
        """The cases that a rule found in a place."""
        return self._spots.get(spot, ())

    @cached_property
    def reasons(self) -> dict[tuple[str, str], str]:
        """Reasons for what was skipped, by subject and reason, and the anchor of where that is
        shown.
        """
        known = dict.fromkeys(
            (skipped.subject, skipped.reason) for skipped in self.report.skipped if skipped.code
        )
        return {reason: f"skipped-{number}" for number, reason in enumerate(known, start=1)}

    @cached_property
    def _anchors(self) -> dict[int, str]:
        return {id(case): f"finding-{number}" for number, case in enumerate(self.cases, start=1)}

    @cached_property
    def _spots(self) -> dict[Spot, tuple[Case, ...]]:
        spots: dict[Spot, tuple[Case, ...]] = {}
        for case in self.cases:
            for spot in dict.fromkeys(_spots(case.findings)):
                spots[spot] = (*spots.get(spot, ()), case)
        return spots


def _spots(findings: Iterable[Finding]) -> Iterable[Spot]:
    return (
        (finding.subject, finding.code, finding.manager, finding.start_method)
        for finding in findings
    )
