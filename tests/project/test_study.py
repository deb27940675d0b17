"""The study of public environments: each finding has its proof, and each proof its finding."""

from __future__ import annotations

import pytest

from tests.study import evidence, packages
from tests.study.keeping import results
from tests.study.recall import PRESENT, KnownIssue, known_issues
from tests.study.tables import UNVERIFIED, Verdict, accusations, judgement, verdicts

SCRIPTS = {script.path.stem: script for script in evidence()}


def test_each_error_and_each_warning_is_verified() -> None:
    made = accusations(results())
    assert made
    assert [each for each in made if judgement(each) == UNVERIFIED] == []


def test_each_package_is_examined_and_locked() -> None:
    assert {package for package, _ in results()} == packages().keys()
    assert [package.name for package in packages().values() if not package.lock.exists()] == []


@pytest.mark.parametrize("verdict", verdicts(), ids=lambda each: f"{each.package}-{each.rule}")
def test_proof_of_a_verdict_is_a_sentence_or_a_script_that_names_the_rule(
    verdict: Verdict,
) -> None:
    proof = verdict.proof.partition(":")[0]
    if " " not in proof:
        assert verdict.rule in SCRIPTS[proof].rules
        assert verdict.package == SCRIPTS[proof].package


@pytest.mark.parametrize(
    "issue", [each for each in known_issues() if each.reported_by], ids=lambda each: each.issue
)
def test_known_issue_that_is_reported_is_in_the_results(issue: KnownIssue) -> None:
    codes = {
        finding["code"]
        for package, result in results()
        if package == issue.package
        for finding in result["judged"]["findings"]
    }
    assert issue.present == PRESENT
    assert issue.reported_by in codes


def test_known_issue_of_an_examined_package_is_reported_or_has_a_reason() -> None:
    present = [issue for issue in known_issues() if issue.present == PRESENT]
    assert {issue.package for issue in present} <= packages().keys()
    assert [
        issue.issue for issue in present if bool(issue.reported_by) == bool(issue.why_not)
    ] == []


def test_each_script_proves_a_verdict() -> None:
    proofs = {verdict.proof.partition(":")[0] for verdict in verdicts()}
    assert sorted(SCRIPTS.keys() - proofs) == []
