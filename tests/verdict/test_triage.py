"""Selection, order, verdict and exit code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.errors import UsageError
from envdoctor.model.finding import IGNORED, Finding, Passed, Remedy, Skipped
from envdoctor.model.report import (
    HEALTHY,
    INCONCLUSIVE,
    NO_ENVIRONMENT,
    SICK,
    Report,
    SubjectReport,
)
from envdoctor.rules.engine.registry import all_rules, catalogue
from envdoctor.verdict import triage

PASSED = (Passed("CLS001", "Env-v0", "direct"),)


def finding(severity: str, code: str = "CLS006", **fields: str) -> Finding:
    return Finding(
        code=code, name="n", severity=severity, message="m", remedy=Remedy("r"), **fields
    )


def report(
    *findings: Finding, passed: tuple[Passed, ...] = PASSED, interrupted: bool = False
) -> Report:
    return Report(
        (), findings, passed, (), (), triage.verdict(findings, passed), interrupted=interrupted
    )


def codes(select: tuple[str, ...] = (), ignore: tuple[str, ...] = ()) -> set[str]:
    return {rule.code for rule in triage.select_rules(catalogue(), select, ignore)}


def test_everything_by_default() -> None:
    assert codes() == set(all_rules())


@pytest.mark.parametrize(
    "word", ["CLS006", "cls006", "close-leaves-descriptors", "Close-Leaves-Descriptors"]
)
def test_one_rule_in_every_spelling(word: str) -> None:
    assert codes((word,)) == {"CLS006"}
    assert codes((), (word,)) == set(all_rules()) - {"CLS006"}


def test_prefixes() -> None:
    closing = {code for code in all_rules() if code.startswith("CLS")}
    assert codes(("CLS",)) == closing
    assert codes(("CLS00",)) == {f"CLS00{digit}" for digit in range(1, 10)}
    assert codes(("CLS", "HNG001"), ("CLS006",)) == closing - {"CLS006"} | {"HNG001"}


@pytest.mark.parametrize("word", ["close", "CLS9", "CLS0066", "", "*", "CLS-006", "close-leaves"])
def test_a_word_that_means_nothing(word: str) -> None:
    with pytest.raises(UsageError, match="no rule is called"):
        codes((word,))


def test_ignoring_everything_that_was_selected_leaves_nothing() -> None:
    assert codes(("CLS006",), ("CLS",)) == set()


def test_the_worst_comes_first() -> None:
    mixed = [
        finding("note", "A"),
        finding("error", "C"),
        finding("warning", "B"),
        finding("error", "B"),
    ]
    assert [(one.severity, one.code) for one in triage.order(mixed)] == [
        ("error", "B"),
        ("error", "C"),
        ("warning", "B"),
        ("note", "A"),
    ]


@pytest.mark.parametrize(
    ("findings", "passed", "verdict"),
    [
        ([], PASSED, HEALTHY),
        ([finding("note")], PASSED, HEALTHY),
        ([finding("warning")], PASSED, SICK),
        ([finding("error", status=IGNORED)], PASSED, HEALTHY),
        ([], (), INCONCLUSIVE),
        ([finding("error")], (), SICK),
    ],
)
def test_verdict(findings: list[Finding], passed: tuple[Passed, ...], verdict: str) -> None:
    assert triage.verdict(findings, passed) == verdict


@pytest.mark.parametrize(
    ("severity", "fail_on", "code"),
    [
        (severity, fail_on, int(worse))
        for severity, fail_on, worse in [
            ("error", "error", True),
            ("error", "warning", True),
            ("error", "note", True),
            ("warning", "error", False),
            ("warning", "warning", True),
            ("warning", "note", True),
            ("note", "error", False),
            ("note", "warning", False),
            ("note", "note", True),
        ]
    ],
)
def test_exit_code(severity: str, fail_on: str, code: int) -> None:
    assert triage.exit_code(report(finding(severity)), fail_on) == code


def test_report_without_a_judgement_is_never_healthy() -> None:
    """The rules on the machine pass, and the rule that would say it was not selected."""
    lost = Skipped("API001", "Env-v0", "direct", NO_ENVIRONMENT)
    seen = replace(report(), subjects=(SubjectReport("Env-v0"),), skipped=(lost,))
    assert triage.verdict_on(replace(seen, skipped=())) == HEALTHY
    assert triage.verdict_on(seen) == INCONCLUSIVE
    told = replace(seen, findings=(finding("note", "REG001", subject="Env-v0"),))
    assert triage.verdict_on(told) == HEALTHY


def test_other_exit_codes() -> None:
    assert triage.exit_code(report()) == 0
    assert triage.exit_code(report(passed=())) == 4
    assert triage.exit_code(report(passed=()), allow_inconclusive=True) == 0
    assert triage.exit_code(report(finding("error", status=IGNORED))) == 0
    assert triage.exit_code(report(finding("error"), interrupted=True)) == 130
    assert triage.exit_code(replace(report(), interrupted=True), allow_inconclusive=True) == 130


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("CLS06", "; did you mean CLS006?"),
        ("close-leaves-descriptor", "; did you mean close-leaves-descriptors?"),
        ("qqqqqq", "; `envdoctor rules` lists them"),
    ],
)
def test_unknown_rule_gets_the_nearest_or_the_command_that_lists_them(word: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        codes(select=(word,))
    assert str(caught.value) == f"no rule is called {word}{hint}"
