"""Results as lines, and results as one report."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.errors import ExitCode
from envdoctor.model.finding import ERROR, IGNORED, NOTE, WARNING, Passed, Skipped
from envdoctor.model.report import HEALTHY, INCONCLUSIVE, SICK, Report, SubjectReport
from envdoctor.saved.lines_v1 import UnreadableError
from envdoctor.sweep.results import (
    Judged,
    judged_from,
    judged_of,
    latest,
    result_from,
    unjudged,
    why_inconclusive,
    worst_first,
    written,
)
from envdoctor.sweep.summary import report_of, settled
from envdoctor.verdict import triage
from tests.sweep.samples import finding, result

HOME = "/home/ana"


def test_a_result_survives_its_line() -> None:
    skipped = Skipped("AAA009", "Crane-v0", "direct", "nobody asked", None, True)
    one = result(finding(), attempts=2, finished=17.5, judged={"skipped": (skipped,)})
    text = written(one, HOME)
    assert result_from(text, HOME) == one
    assert HOME not in text
    assert result_from(text, "/home/bo").judged.findings[0].location != finding().location


def test_a_line_that_was_cut_off_or_changed_is_refused() -> None:
    text = written(result(finding()), HOME)
    for wrong in (text[:-10], text.replace("Crane", "Krane"), "{}", ""):
        with pytest.raises(UnreadableError):
            result_from(wrong, HOME)


def test_kept_fields_identify_a_finding() -> None:
    evidence = {"path": "/dev/null", "error": {"type": "OSError", "frames": [1]}, "stack": "x" * 99}
    told = finding(key=None, measures=None, evidence=evidence)
    report = Report((SubjectReport("Crane-v0"),), (told,), (), (), (), SICK)
    kept = judged_from(written(judged_of(report), HOME), HOME).findings[0]
    assert kept.fingerprint == told.fingerprint
    assert kept.fingerprint_v1 == told.fingerprint_v1
    assert "stack" not in kept.evidence


def test_the_worst_is_first() -> None:
    kinds = {
        "healthy": result(spec="healthy"),
        "note": result(finding(severity=NOTE), spec="note"),
        "unclear": unjudged(result(spec="unclear").identity, "killed", 3, 0.0),
        "warning": result(finding(severity=WARNING), spec="warning"),
        "errors": result(finding(), finding("AAA002"), spec="errors"),
        "error": result(finding(), finding("AAA002", severity=WARNING), spec="error"),
    }
    assert [one.label for one in worst_first(kinds.values())] == [
        "errors",
        "error",
        "warning",
        "unclear",
        "note",
        "healthy",
    ]


def test_the_newest_result_of_a_place_counts_and_the_one_before_is_known() -> None:
    old, new = (
        result(spec="Crane-v0", identity={"versions": name}, finished=when)
        for name, when in (("old", 1.0), ("new", 2.0))
    )
    other = result(spec="Crane-v0", identity={"interpreter": "/opt/python"}, finished=0.5)
    newest, before = latest([new, other, old])
    assert set(map(id, newest)) == {id(new), id(other)}
    assert before == (old,)


def test_a_report_of_results_says_what_is_missing() -> None:
    healthy, lost = result(spec="a"), unjudged(result(spec="b").identity, "killed", 3, 0.0)
    assert report_of([healthy]).verdict == HEALTHY
    assert triage.exit_code(report_of([healthy])) == ExitCode.OK
    report = report_of([healthy, lost], unexamined=2)
    assert report.verdict == INCONCLUSIVE
    assert report.incomplete == "could not be judged: b; not examined yet: 2"
    assert triage.exit_code(report) == ExitCode.INCONCLUSIVE
    assert triage.exit_code(report_of([lost, result(finding())])) == ExitCode.FINDINGS


def test_a_policy_holds_for_each_of_several_results_of_one_spec() -> None:
    results = [
        result(finding(), identity={"arguments": {"size": size}}, finished=float(size))
        for size in (1, 2, 3)
    ]

    def ignore(report: Report) -> Report:
        return replace(report, findings=tuple(one.but(status=IGNORED) for one in report.findings))

    found = settled(results, ignore)
    assert len(found) == 3
    assert [one.count(ERROR) for one in found] == [0, 0, 0]
    assert [one.judged.findings[0].status for one in found] == [IGNORED] * 3


def test_passed_rules_are_kept_by_place() -> None:
    passed = (
        Passed("AAA001", "Crane-v0", "direct"),
        Passed("AAA002", "Crane-v0", "direct"),
        Passed("AAA001", "Crane-v0", "workers", "fork"),
    )
    text = written(Judged(passed=passed), HOME)
    assert judged_from(text, HOME).passed == passed


def test_inconclusive_result_has_its_reason() -> None:
    skipped = [Skipped("", "a", "direct", reason) for reason in ("rare", "common", "common")]
    assert why_inconclusive(Judged(skipped=tuple(skipped))) == "common"
    assert why_inconclusive(Judged(skipped=tuple(skipped), incomplete="it was cut off")) == (
        "it was cut off"
    )
    assert why_inconclusive(Judged()) == ""
