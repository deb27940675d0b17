"""Decisions of a team: severities, ignored findings and their reasons, budgets, a baseline; and the
verdict after that.
"""

from __future__ import annotations

from typing import Any

import pytest

from envdoctor.model.finding import (
    BASELINED,
    BELOW,
    IGNORED,
    MANAGER,
    OPEN,
    Finding,
    Passed,
    Remedy,
)
from envdoctor.model.report import HEALTHY, INCONCLUSIVE, SICK, Report, SubjectReport
from envdoctor.verdict import triage
from envdoctor.verdict.baseline import known_of
from envdoctor.verdict.policy import Policy, Terms, parse_budget, settle

PASSED = (Passed("CLS001", "Env-v0", "direct"),)


def finding(code: str = "CLS013", severity: str = "warning", **fields: Any) -> Finding:
    return Finding(
        code,
        "n",
        severity,
        "a reference cycle keeps it",
        Remedy("r"),
        **{"subject": "Env-v0", "manager": "direct", **fields},
    )


def leak(
    rate: float = 48.0, shares: dict[str, float] | None = None, code: str = "LEK003"
) -> Finding:
    return finding(
        code, "error", evidence={"per_cycle": rate, "per_operation": shares or {"reset": rate}}
    )


def report(*findings: Finding, **fields: Any) -> Report:
    passed = fields.pop("passed", PASSED)
    return Report(
        (SubjectReport("Env-v0"),),
        findings,
        passed,
        (),
        (),
        triage.verdict(findings, passed),
        **fields,
    )


def settled(one: Finding, terms: Terms, **overrides: Terms) -> Finding:
    return settle(report(one), Policy(terms, overrides)).findings[0]


def test_without_a_policy_nothing_changes() -> None:
    before = report(finding(), leak())
    assert settle(before, Policy()).findings == triage.order(before.findings)


@pytest.mark.parametrize("word", ["CLS013", "CLS", "freed-only-by-collector"])
def test_ignored_finding_keeps_its_reason(word: str) -> None:
    one = settled(finding(), Terms(ignore={word: "small"}))
    assert (one.status, one.status_reason) == (IGNORED, "small")
    assert settle(report(finding()), Policy(Terms(ignore={word: "small"}))).verdict == HEALTHY


def test_severities_of_your_own_decide() -> None:
    after = settle(report(finding()), Policy(Terms(severity={"CLS013": "error"})))
    assert (after.findings[0].severity, triage.exit_code(after)) == ("error", 1)
    assert (
        settle(report(finding(severity="error")), Policy(Terms(severity={"CLS": "note"}))).verdict
        == HEALTHY
    )


def test_note_on_purpose_stays_a_note() -> None:
    """A warning that is the manager's, or seen only where few people look, accuses nobody
    because of a setting.
    """
    terms = Terms(severity={"CLS013": "error", "CLS005": "error"})
    assert settled(finding(severity="note"), terms).severity == "note"
    assert settled(finding("CLS005", severity="note"), terms).severity == "error"
    assert settled(finding("CLS005", severity="note", blame=MANAGER), terms).severity == "note"


def test_terms_of_an_environment_go_before_those_of_all() -> None:
    overrides = {"Env-*": Terms(severity={"CLS013": "note"})}
    assert settled(finding(), Terms(severity={"CLS013": "error"}), **overrides).severity == "note"
    assert (
        settled(
            finding(subject="Other-v0"), Terms(severity={"CLS013": "error"}), **overrides
        ).severity
        == "error"
    )


@pytest.mark.parametrize(
    ("budgets", "shares", "status"),
    [
        (["native bytes per reset <= 64"], {"reset": 48.0}, BELOW),
        (["native bytes per reset <= 48"], {"reset": 48.0}, BELOW),
        (["native bytes per reset <= 47"], {"reset": 48.0}, OPEN),
        (["native bytes per cycle <= 48"], {"reset": 40.0, "create": 8.0}, BELOW),
        (["native bytes per reset <= 64"], {"reset": 40.0, "create": 8.0}, OPEN),
        (
            ["native bytes per reset <= 64", "native bytes per instance <= 8"],
            {"reset": 40.0, "create": 8.0},
            BELOW,
        ),
        (["native bytes per reset <= 64"], {"reset in a worker": 48.0}, BELOW),
        (["native bytes per cycle <= 64"], {"reset in a worker": 48.0}, OPEN),
        (["threads per reset <= 64"], {"reset": 48.0}, OPEN),
        (["native bytes per launch <= 64"], {"launch": 48.0}, BELOW),
    ],
)
def test_budgets(budgets: list[str], shares: dict[str, float], status: str) -> None:
    one = settled(leak(48.0, shares), Terms(budgets=tuple(map(parse_budget, budgets))))
    assert one.status == status


def test_a_budget_reports_what_it_was_and_what_it_is() -> None:
    terms = Terms(budgets=(parse_budget("native bytes per reset <= 64"),))
    assert (
        settled(leak(48.0), terms).status_reason
        == "within the budget native bytes per reset <= 64: it is 48"
    )
    assert (
        settled(leak(72.0), terms).status_reason
        == "over the budget native bytes per reset <= 64: it is 72"
    )


def test_decision_without_a_finding_is_stale() -> None:
    terms = Terms(ignore={"CLS001": "once", "CLS013": "still", "HNG004": "never judged"})
    assert settle(report(finding()), Policy(terms)).stale == ("ignore of CLS001 matches nothing",)
    overrides = {"Other-*": Terms(ignore={"CLS001": "not examined today"})}
    assert settle(report(finding()), Policy(overrides=overrides)).stale == ()


def test_entries_of_the_baseline_that_were_judged_and_not_found_are_stale() -> None:
    gone, elsewhere = finding("CLS001"), finding("CLS001", manager="gymnasium-sync")
    after = settle(
        report(finding()), Policy(baseline=tuple(map(known_of, (finding(), gone, elsewhere))))
    )
    assert after.findings[0].status == BASELINED
    assert len(after.stale) == 1
    assert gone.fingerprint in after.stale[0]


def test_an_entry_stands_for_its_environment_in_any_checkout() -> None:
    passed = (Passed("CLS013", "/builds/7/arm.py:Arm", "direct"),)
    known = (known_of(finding(subject="~/lab/arm.py:Arm")),)
    assert (
        settle(report(finding(subject="/builds/7/arm.py:Arm")), Policy(baseline=known))
        .findings[0]
        .status
        == BASELINED
    )
    assert len(settle(report(passed=passed), Policy(baseline=known)).stale) == 1


def test_incomplete_report_is_never_healthy() -> None:
    assert settle(report(incomplete="it ends early"), Policy()).verdict == INCONCLUSIVE
    assert settle(report(finding(), incomplete="it ends early"), Policy()).verdict == SICK
    # A warning alone does not fail.
    assert triage.exit_code(settle(report(finding(), incomplete="it ends early"), Policy())) == 4
    assert triage.exit_code(settle(report(leak(), incomplete="it ends early"), Policy())) == 1
    assert (
        triage.exit_code(
            settle(report(incomplete="it ends early"), Policy()), allow_inconclusive=True
        )
        == 0
    )
