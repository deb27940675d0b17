"""The place of each finding in the page."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import OPEN, Finding
from envdoctor.model.report import Report
from envdoctor.reporters._folding import Case, cases
from envdoctor.reporters.html.causes import Cause, by_cause, worst_first

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
