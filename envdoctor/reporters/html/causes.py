"""Findings that have one cause, as one card: an error that several rules met, what one line takes
and several rules miss, what one checker says of one method.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from envdoctor.model.evidence import Failing, read_evidence
from envdoctor.model.finding import HIGH, SEVERITIES, Finding
from envdoctor.model.named_places import NamedPlaces
from envdoctor.model.scenario import DIRECT
from envdoctor.reporters._folding import Case

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
