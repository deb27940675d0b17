"""Verified remedies that hold together in one copy."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from envdoctor.model.environment_aims import OpenAgain
from envdoctor.model.errors import ErrorValue
from envdoctor.model.finding import Finding, Remedy
from envdoctor.model.fixes import Fix, FixedFinding, Tried
from envdoctor.model.remedy import BEFORE, Edit
from envdoctor.remedies.applying import NoPlaceError
from envdoctor.rules.engine.judging import Judgement
from envdoctor.run.remedies import Cure, Trials
from envdoctor.run.trying import Combining

CODES = ("CLS001", "CLS002", "CLS003", "CLS004")


def finding(code: str) -> Finding:
    return Finding(code, "n", "error", "m", Remedy("r"), "arm.py", "direct")


class FakeTrials:
    """Trials whose copies hold where no pair of `enemies` is in them."""

    def __init__(
        self, cures: Sequence[Cure], enemies: Collection[tuple[str, str]] = (), held: Any = ()
    ) -> None:
        self.cures, self.enemies, self.held = list(cures), enemies, held
        self.judgement = Judgement(findings=tuple(map(finding, CODES)))
        self.copies: list[list[str]] = []
        self.gone: tuple[str, ...] = ()

    def extend(self) -> None:
        pass

    def holds(self, findings: Sequence[Finding], _edits: Sequence[Edit]) -> str:
        codes = [each.code for each in findings]
        self.copies.append(codes)
        if "CLS004" in codes and "no place" in self.enemies:
            raise NoPlaceError("two changes of one line")
        return "it would bring X" if any(set(pair) <= set(codes) for pair in self.enemies) else ""

    def is_gone(self, finding: Finding) -> bool:
        return finding.code in self.gone

    def repeats(self, edits: Sequence[Edit]) -> bool:
        return any("repeats" in each.lines for each in edits)

    def fix(self, edits: Sequence[Edit]) -> Fix:
        return Fix(files=(), changes=cast("Any", tuple(each.lines for each in edits)))


@pytest.fixture
def cures(tmp_path: Path) -> list[Cure]:
    path = tmp_path / "arm.py"
    path.write_text("")
    return [([finding(code)], (Edit(str(path), BEFORE, (code,), line=1),)) for code in CODES]


def combined(trials: FakeTrials, root: Path, **more: Any) -> Fix:
    is_open = more.pop("is_open", lambda _: True)
    return Combining(cast("Trials", trials), is_open, [str(root)], more.pop("tried", {})).run()


def cured(fix: Fix) -> list[str]:
    return [each.code for each in fix.cured]


def test_all_that_hold_are_in_one_copy(cures: list[Cure], tmp_path: Path) -> None:
    trials = FakeTrials(cures)
    assert cured(combined(trials, tmp_path)) == list(CODES)
    assert trials.copies == [list(CODES)]


def test_copy_that_was_played_already_is_not_played_again(
    cures: list[Cure], tmp_path: Path
) -> None:
    trials = FakeTrials(cures, held=tuple(cures))
    assert cured(combined(trials, tmp_path)) == list(CODES)
    assert trials.copies == []


def test_remedy_that_does_not_hold_is_left_and_the_rest_is_played_without_it(
    cures: list[Cure], tmp_path: Path
) -> None:
    trials = FakeTrials(cures, [("CLS002", "CLS003")])
    fix = combined(trials, tmp_path)
    assert cured(fix) == ["CLS001", "CLS002", "CLS004"]
    assert fix.left == (FixedFinding("CLS003", finding("CLS003").fingerprint, "it would bring X"),)
    assert trials.copies[-1] == cured(fix)


def test_changes_of_one_line_are_not_played(cures: list[Cure], tmp_path: Path) -> None:
    fix = combined(FakeTrials(cures, cast("Any", ["no place"])), tmp_path)
    assert cured(fix) == ["CLS001", "CLS002", "CLS003"]
    assert [each.reason for each in fix.left] == ["two changes of one line"]


def test_file_of_others_is_left(cures: list[Cure], tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    fix = combined(FakeTrials(cures), other)
    assert cured(fix) == []
    assert {each.reason.rpartition("/")[2] for each in fix.left} == {
        "arm.py is outside the project"
    }


@pytest.mark.parametrize(("blame", "also"), [("environment", ["DOC004"]), ("manager", [])])
def test_defect_of_a_framework_is_not_cured_by_the_way(
    blame: str, also: list[str], cures: list[Cure], tmp_path: Path
) -> None:
    trials = FakeTrials(cures)
    trials.judgement = Judgement(findings=(finding("DOC004").but(blame=blame),))
    trials.gone = ("DOC004",)
    assert cured(combined(trials, tmp_path)) == [*CODES, *also]


def test_finding_that_a_team_accepts_is_not_cured(cures: list[Cure], tmp_path: Path) -> None:
    fix = combined(FakeTrials(cures), tmp_path, is_open=lambda each: each.code != "CLS002")
    assert cured(fix) == ["CLS001", "CLS003", "CLS004"]
    assert fix.left == ()


@pytest.mark.parametrize(("asks", "number"), [(False, 3), (True, 4)])
def test_code_for_those_who_use_closed_instances_again_is_not_written(
    asks: bool, number: int, cures: list[Cure], tmp_path: Path
) -> None:
    ((first,), edits) = cures[0]
    opens = first.but(remedy=Remedy("r", aim=OpenAgain(ErrorValue("AttributeError"), asks)))
    fix = combined(FakeTrials([([opens], edits), *cures[1:]]), tmp_path)
    assert len(cured(fix)) == number
    assert [each.reason.endswith("and not written") for each in fix.left] == [True] * (4 - number)


def test_reason_of_a_remedy_that_cured_nothing_is_kept(tmp_path: Path) -> None:
    tried = {finding("CLS002").fingerprint: Tried(verified=False, reason="it would bring Y")}
    fix = combined(FakeTrials([]), tmp_path, tried=tried)
    assert [(each.code, each.reason) for each in fix.left] == [("CLS002", "it would bring Y")]


def test_edit_that_is_not_needed_beside_the_others_is_spared(
    cures: list[Cure], tmp_path: Path
) -> None:
    findings, (edit,) = cures[2]
    cures[2] = (findings, (Edit(edit.file, BEFORE, ("repeats",), line=1),))
    fix = combined(FakeTrials(cures), tmp_path)
    assert cured(fix) == list(CODES)
    assert fix.changes == cast("Any", (("CLS001",), ("CLS002",), ("CLS004",)))


def test_finding_that_is_gone_without_code_of_its_own_is_cured(
    cures: list[Cure], tmp_path: Path
) -> None:
    trials = FakeTrials(cures[:2])
    trials.gone = ("CLS003",)
    tried = {
        finding(code).fingerprint: Tried(verified=False, reason="the finding would stay")
        for code in ("CLS003", "CLS004")
    }
    fix = combined(trials, tmp_path, tried=tried)
    assert cured(fix) == ["CLS001", "CLS002", "CLS003"]
    assert [each.code for each in fix.left] == ["CLS004"]
