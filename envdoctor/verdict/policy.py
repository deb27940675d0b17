"""A team's decisions about findings: severities of its own, ignored rules with reasons, budgets for
growth. Findings in, findings out.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

from envdoctor.errors import UsageError, nearest_sentence
from envdoctor.model.evidence import Growing, read_evidence
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import BELOW, IGNORED, MANAGER, NOTE, OPEN, Finding
from envdoctor.model.report import Report
from envdoctor.rules.engine.measures import OPERATIONS
from envdoctor.rules.engine.registry import catalogue, growing
from envdoctor.verdict import triage
from envdoctor.verdict.baseline import BaselineEntry, compared

_BUDGET = re.compile(r"(?P<what>[a-z -]+?) per (?P<each>[a-z]+) *<= *(?P<limit>\d[\d_]*(?:\.\d+)?)")

#: What a budget may be for, and what a person calls the operations that evidence knows by other
#: names.
EACH = {
    "cycle": "cycle",
    "instance": "create",
    "reset": "reset",
    "step": "step",
    "render": "render",
    "launch": "launch",
}
RESETS = ("reset", "reset in the parent", "reset in a worker")


@dataclass(frozen=True)
class Budget:
    """A limit of growth: `text` as it was written; `code` of the rule on it; `limit` per call of
    `operation`.
    """

    text: str
    code: str
    operation: str
    limit: float

    def covers(self, operation: str) -> bool:
        """Return True if the budget limits growth in an operation, as evidence names it."""
        return operation in RESETS if self.operation == "reset" else operation == self.operation


def parse_budget(text: str) -> Budget:
    """`native bytes per reset <= 64`. Raises UsageError that says how to write it."""
    match = _BUDGET.fullmatch(" ".join(text.split()).lower())
    if match is None:
        raise UsageError(f"{text!r} is not a budget; write it like 'native bytes per reset <= 64'")
    codes = growing()
    what, each, limit = match.groups()
    if what not in codes:
        near = nearest_sentence(what, codes) or f"; there are {', '.join(codes)}"
        raise UsageError(f"{text!r}: nothing that grows is called {what!r}{near}")
    if each not in EACH:
        near = nearest_sentence(each, EACH) or f"; there are {', '.join(EACH)}"
        raise UsageError(f"{text!r}: no operation is called {each!r}{near}")
    return Budget(text, codes[what], EACH[each], float(limit))


@dataclass(frozen=True)
class Terms:
    """The decisions for some environments. `ignore` maps words for rules (codes, prefixes, names)
    to reasons, `severity` to severities.
    """

    severity: Mapping[str, str] = field(default_factory=dict)
    ignore: Mapping[str, str] = field(default_factory=dict)
    budgets: tuple[Budget, ...] = ()


@dataclass(frozen=True)
class Policy:
    """Terms for all environments; terms for those whose SPEC fits a glob, which go before; what is
    known already, if there is a baseline; terms by titles of environments, which go before all;
    and the SPECs of titles.
    """

    terms: Terms = field(default_factory=Terms)
    overrides: Mapping[str, Terms] = field(default_factory=dict)
    baseline: tuple[BaselineEntry, ...] | None = None
    titles: Mapping[str, Terms] = field(default_factory=dict)
    specs: Mapping[str, str] = field(default_factory=dict)

    def applying(self, subject: str) -> list[tuple[str, Terms]]:
        """The terms for a subject with the name or glob that they stand under, those that go
        before others first.
        """
        return [
            *((title, terms) for title, terms in self.titles.items() if title == subject),
            *((glob, terms) for glob, terms in self.overrides.items() if self._fits(subject, glob)),
            ("", self.terms),
        ]

    def _fits(self, subject: str, glob: str) -> bool:
        return fits(self.specs.get(subject, subject), glob)


def fits(subject: str, glob: str) -> bool:
    """Return True if a glob matches a SPEC; case matters."""
    return subject == glob or fnmatch.fnmatchcase(subject, glob)


def settle(report: Report, policy: Policy) -> Report:
    """The report as the policy has it: severities, statuses with their reasons, what is stale,
    and the verdict anew.
    """
    findings = [_on_terms(finding, policy) for finding in report.findings]
    stale = list(_stale_ignores(report, policy))
    if policy.baseline is not None:
        findings, unmatched = compared(findings, policy.baseline)
        stale += _stale_entries(report, unmatched)
    settled = replace(report, findings=triage.order(findings), stale=tuple(stale))
    return replace(settled, verdict=triage.verdict_on(settled))


def _on_terms(finding: Finding, policy: Policy) -> Finding:
    applying = [terms for _, terms in policy.applying(finding.subject)]
    finding = finding.but(severity=_severity(finding, applying))
    for terms in applying:
        for word, reason in terms.ignore.items():
            if triage.names(word, finding.code):
                return finding.but(status=IGNORED, status_reason=reason)
    return _on_budget(
        finding,
        [budget for terms in applying for budget in terms.budgets if budget.code == finding.code],
    )


def _severity(finding: Finding, applying: Iterable[Terms]) -> str:
    """The team's, but for what was made a note on purpose: it is the manager's, or a library's,
    or what few people do.
    """
    wanted = next(
        (
            value
            for terms in applying
            for word, value in terms.severity.items()
            if triage.names(word, finding.code)
        ),
        finding.severity,
    )
    if wanted == finding.severity or finding.severity != NOTE:
        return wanted
    own = next((entry.load().severity for entry in catalogue() if entry.code == finding.code), NOTE)
    return wanted if own == NOTE and finding.blame != MANAGER else NOTE


def _on_budget(finding: Finding, budgets: list[Budget]) -> Finding:
    """Below, where budgets cover all of its growth; with a word on the first that is passed,
    where they do not.
    """
    growth = read_evidence(Growing, finding.evidence)
    shares, rate = growth.per_operation, growth.per_cycle
    if not budgets or not shares or rate is None:
        return finding
    if all(operation in OPERATIONS for operation in shares):  # the growth of a whole cycle is known
        overall = next((budget for budget in budgets if budget.operation == "cycle"), None)
        if overall and rate <= overall.limit:
            return finding.but(
                status=BELOW, status_reason=f"within the budget {overall.text}: it is {rate:g}"
            )
    own = {
        operation: next((budget for budget in budgets if budget.covers(operation)), None)
        for operation in shares
    }
    over = [
        (budget, shares[operation])
        for operation, budget in own.items()
        if budget and shares[operation] > budget.limit
    ]
    if not over and all(own.values()):
        text = "; ".join(
            f"{budget.text}: it is {shares[operation]:g}"
            for operation, budget in own.items()
            if budget
        )
        return finding.but(status=BELOW, status_reason=f"within the budget {text}")
    return (
        finding.but(
            status=OPEN, status_reason=f"over the budget {over[0][0].text}: it is {over[0][1]:g}"
        )
        if over
        else finding
    )


def _stale_ignores(report: Report, policy: Policy) -> Iterator[str]:
    """Yield rules that are ignored, were judged, and have no finding."""
    every = (*policy.titles.items(), ("", policy.terms), *policy.overrides.items())
    for glob, terms in every:
        subjects = {
            subject.spec
            for subject in report.subjects
            if any(terms is each for _, each in policy.applying(subject.spec))
        }
        result = {finding.code for finding in report.findings if finding.subject in subjects}
        passed = {passed.code for passed in report.passed if passed.subject in subjects}
        for word in terms.ignore:
            if any(triage.names(word, code) for code in passed) and not any(
                triage.names(word, code) for code in result
            ):
                where = f" for {glob}" if glob else ""
                yield f"ignore of {word}{where} matches nothing"


def _stale_entries(report: Report, unmatched: Iterable[BaselineEntry]) -> Iterator[str]:
    """Entries of the baseline that were judged, and not found."""
    judged = triage.judged_places(report)
    for known in unmatched:
        if known.place in judged:
            where = ", ".join(part for part in (known.manager, known.start_method) if part)
            yield (
                f"baseline entry {known.fingerprint} matches nothing: {known.code} {known.subject}"
                f" [{where}]: {known.message}"
            )


def check_words(words: Iterable[str]) -> None:
    """Refuse words that name no rule. Raises UsageError."""
    triage.select_rules(catalogue(), words, ())
