"""From findings to a verdict: selection, severity order, exit code."""

from __future__ import annotations

import re
from collections.abc import Iterable

from envdoctor.errors import ExitCode, UsageError, nearest_sentence
from envdoctor.model.finding import ERROR, OPEN, SEVERITIES, Finding, Passed
from envdoctor.model.fingerprint import rootless
from envdoctor.model.report import HEALTHY, INCONCLUSIVE, SICK, Report
from envdoctor.rules.engine.registry import Entry, catalogue

GROWTH = "LEK"  # the rules that need the leak check
STORAGE = "BUF"  # and those on replay memory


def select_rules(
    rules: Iterable[Entry], select: Iterable[str], ignore: Iterable[str]
) -> tuple[Entry, ...]:
    """The rules that a run applies, out of the catalogue. A word is a code, a prefix of codes, or a
    name; no `select` means all.

    Raises UsageError for a word that matches no rule.
    """
    rules = tuple(rules)
    wanted, unwanted = set(_codes(rules, select)), set(_codes(rules, ignore))
    return tuple(
        rule for rule in rules if (not wanted or rule.code in wanted) and rule.code not in unwanted
    )


def names(word: str, code: str) -> bool:
    """Return True if a word (a code, a prefix of codes or a name) means the rule `code`."""
    return _is_prefix(word.upper(), code) or any(
        entry.code == code and entry.name == word.lower() for entry in catalogue()
    )


def _codes(rules: tuple[Entry, ...], words: Iterable[str]) -> Iterable[str]:
    for word in words:
        matching = [
            rule.code
            for rule in rules
            if rule.name == word.lower() or _is_prefix(word.upper(), rule.code)
        ]
        if not matching:
            known = [name for rule in rules for name in (rule.code, rule.name)]
            near = nearest_sentence(padded(word.upper()), known) or nearest_sentence(
                word.lower(), known
            )
            raise UsageError(f"no rule is called {word}{near or '; `envdoctor rules` lists them'}")
        yield from matching


def padded(word: str) -> str:
    """`CLS006` of `CLS06`: a forgotten zero is the likeliest slip."""
    return re.sub(r"\d+$", lambda digits: digits[0].zfill(3), word)


def _is_prefix(word: str, code: str) -> bool:
    return re.fullmatch(r"[A-Z]{1,3}|[A-Z]{3}\d{1,3}", word) is not None and code.startswith(word)


def order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Worst first; then by subject as given, code and place."""
    return tuple(
        sorted(findings, key=lambda finding: (SEVERITIES.index(finding.severity), finding.code))
    )


def verdict(findings: Iterable[Finding], passed: Iterable[Passed]) -> str:
    """sick: an open error or warning. inconclusive: nothing could be judged. healthy otherwise."""
    if any(finding.status == OPEN and finding.severity != SEVERITIES[-1] for finding in findings):
        return SICK
    return HEALTHY if any(True for _ in passed) else INCONCLUSIVE


def verdict_on(report: Report) -> str:
    """The verdict on a report: where growth was all that was looked for, what else passed says
    nothing; what is not complete, or was not found, is never healthy.
    """
    passed = [
        passed
        for passed in report.passed
        if passed.code.startswith((GROWTH, STORAGE)) or not report.leak_checked
    ]
    text = verdict(report.findings, passed)
    is_whole = not report.incomplete and not report.not_found
    return INCONCLUSIVE if text == HEALTHY and not is_whole else text


def judged_places(report: Report) -> set[tuple[str, str, str, str | None]]:
    """(code, SPEC, manager, start method) of every rule that had something to say, well or not;
    SPECs without roots.
    """
    result = {
        (finding.code, rootless(finding.subject), finding.manager, finding.start_method)
        for finding in report.findings
    }
    return result | {
        (passed.code, rootless(passed.subject), passed.manager, passed.start_method)
        for passed in report.passed
    }


def exit_code(report: Report, fail_on: str = ERROR, allow_inconclusive: bool = False) -> ExitCode:
    """The command's exit code: 0, 1, 4 or 130."""
    if report.interrupted:
        return ExitCode.INTERRUPTED
    failing = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    if any(finding.status == OPEN and finding.severity in failing for finding in report.findings):
        return ExitCode.FINDINGS
    if (report.verdict == INCONCLUSIVE or report.incomplete) and not allow_inconclusive:
        return ExitCode.INCONCLUSIVE
    return ExitCode.OK
