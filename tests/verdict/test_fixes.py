"""The part of a report that is written into files, and the reasons for the rest."""

from __future__ import annotations

import json
from typing import Any

from envdoctor.model.environment_aims import Forget
from envdoctor.model.finding import IGNORED, Finding, Remedy
from envdoctor.model.fixes import ChangedFile, Fix, FixedFinding
from envdoctor.model.remedy import Change
from envdoctor.model.report import Report, SubjectReport
from envdoctor.verdict.fixes import Plan, planned, together
from envdoctor.verdict.remedies import fix_in, kept_fix

CHANGE = Change("/p/arm.py", 3, 0, ("self.log.close()",), "Arm.close()")
OTHER = Change("/p/arm.py", 5, 0, ("self.port.close()",), "Leg.close()")


def finding(code: str = "CLS006", subject: str = "arm.py", **more: Any) -> Finding:
    return Finding(code, "n", "error", "m", Remedy("r", aim=Forget("x")), subject, **more)


def fix(*findings: Finding, change: Change = CHANGE, **more: Any) -> Fix:
    cured = tuple(FixedFinding(each.code, each.fingerprint) for each in findings)
    return Fix((change,), (ChangedFile(change.file, "1", change.lines[0]),), cured, **more)


def report(findings: tuple[Finding, ...], **fixes: Fix) -> Report:
    subjects = tuple(SubjectReport(f"{spec}.py", fix=each) for spec, each in fixes.items())
    return Report(subjects, findings, (), (), (), "sick")


def reasons(plan: Plan) -> dict[str, str]:
    return {each.finding.code: each.reason for each in plan.left}


def test_findings_of_a_fix_are_cured() -> None:
    plan = planned(report((finding(),), arm=fix(finding())))
    assert [each.file.file for each in plan.patches] == ["/p/arm.py"]
    assert [each.finding for each in plan.cured] == [finding()]
    assert plan.left == ()


def test_finding_without_code_is_left_with_its_reason() -> None:
    words = finding("DET001").but(remedy=Remedy("seed it"))
    refused = finding("CLS007").but(remedy=Remedy("r", aim=Forget("x"), verified=False))
    late = finding("CLS008")
    apart = finding("CLS009")
    left = (FixedFinding("CLS009", apart.fingerprint, "two changes of one line"),)
    plan = planned(report((finding(), words, refused, late, apart), arm=fix(finding(), left=left)))
    assert reasons(plan) == {
        "DET001": "its remedy is not code",
        "CLS007": "no code was verified for it",
        "CLS008": "its remedy was not tried",
        "CLS009": "two changes of one line",
    }


def test_finding_that_a_team_accepts_is_neither_cured_nor_left() -> None:
    plan = planned(report((finding(status=IGNORED), finding("CLS007", status=IGNORED))))
    assert plan == Plan()


def test_second_subject_of_a_file_waits_for_the_next_round() -> None:
    second = finding("CLS009", "leg.py")
    plan = planned(report((finding(), second), arm=fix(finding()), leg=fix(second, change=OTHER)))
    assert [patch.changes for patch in plan.patches] == [(CHANGE,)]
    assert reasons(plan) == {"CLS009": "/p/arm.py is changed for arm.py first: run it again"}


def test_two_subjects_with_the_same_change_are_both_cured() -> None:
    second = finding("CLS006", "leg.py")
    plan = planned(report((finding(), second), arm=fix(finding()), leg=fix(second)))
    assert [patch.changes for patch in plan.patches] == [(CHANGE,)]
    assert [each.finding.subject for each in plan.cured] == ["arm.py", "leg.py"]


def test_no_fix_is_written_again_for_a_finding_that_came_back() -> None:
    plan = planned(report((finding(),), arm=fix(finding())), [finding().fingerprint])
    assert plan.patches == ()
    assert reasons(plan) == {"CLS006": "a fix was written for it, and it came again"}


def test_rounds_are_counted_together() -> None:
    first = planned(report((finding(),), arm=fix(finding())))
    last = planned(report((finding("DET001").but(remedy=Remedy("seed it")),)))
    fixes = together([first], last)
    assert fixes.written
    assert [each.finding.code for each in fixes.cured] == ["CLS006"]
    assert [each.finding.code for each in fixes.left] == ["DET001"]


def test_kept_fix_is_read_as_it_was() -> None:
    example = fix(finding(), left=(FixedFinding("CLS009", "f", "two changes of one line"),))
    assert fix_in(json.loads(json.dumps(kept_fix(example)))) == example
    assert fix_in({}) is None
