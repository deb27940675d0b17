"""The reports: each is complete, has a twin, and is in the log."""

from __future__ import annotations

import ast
import datetime as dt
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from envdoctor.rules.engine.registry import all_rules
from tests.recorded.catalogue import Case, cases_of, reports
from tests.recorded.playing import line_of
from tests.reports import FOLDER, LOG, Report, all_reports, program_of, twin

REPORTS = {report.name: report for report in all_reports()}
COMMANDS = ("attach", "check", "gate", "leak", "watch", "workers")


def _programs(report: Report, line: str) -> list[Path]:
    """The files of its folder that a command examines."""
    files = (word.partition(":")[0] for word in shlex.split(line))
    made = program_of(report.healthy) if report.mends else ""
    return [report.folder / file for file in files if file.endswith(".py") and file != made]


@pytest.mark.parametrize("report", REPORTS.values(), ids=lambda report: report.name)
def test_report_is_complete(report: Report) -> None:
    assert re.fullmatch(r"https://[^ ]+", report.address)
    assert report.date is None or type(report.date) is dt.date
    assert len(report.symptom) > 10
    assert len(report.answer) > 10
    assert report.sick != report.healthy
    for line in (report.sick, report.healthy):
        assert line.split()[0] in COMMANDS
        assert _programs(report, line) or report.mends
        assert [file for file in _programs(report, line) if not file.exists()] == []
    assert {*report.codes, *report.also, *report.quiet} <= set(all_rules())


@pytest.mark.parametrize(
    "report",
    [report for report in REPORTS.values() if report.mends],
    ids=lambda report: report.name,
)
def test_mended_twin_is_another_program(report: Report) -> None:
    sick = (report.folder / program_of(report.sick)).read_text()
    assert ast.dump(ast.parse(sick)) != ast.dump(ast.parse(twin(report)))


@pytest.mark.parametrize("old", ["env.close()", "not there"])
def test_text_to_mend_is_there_once(old: str) -> None:
    report = replace(REPORTS["IsaacLab-347"], mends=((old, ""),))
    with pytest.raises(ValueError, match=r"is there [02] times"):
        twin(report)


@pytest.mark.parametrize("report", REPORTS.values(), ids=lambda report: report.name)
def test_open_report_says_what_is_missing(report: Report) -> None:
    if report.open:
        assert len(report.open) > 20
    else:
        assert report.codes or report.quiet, "nothing is asked of it"


@pytest.mark.parametrize("report", REPORTS.values(), ids=lambda report: report.name)
def test_report_is_in_the_log(report: Report) -> None:
    assert f"({report.name}/)" in LOG.read_text(encoding="utf-8")


def test_each_folder_is_a_report() -> None:
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir()} - {"__pycache__"}
    assert folders == set(REPORTS)


def test_open_reports_are_not_recorded() -> None:
    recorded = {case.name for case in reports()}
    for report in REPORTS.values():
        names = {case.name for case in cases_of(report)}
        assert names <= recorded if report.is_recorded else not names & recorded


def test_training_is_watched_as_its_author_starts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVDOCTOR_X_PYTHON", "/x/bin/python")
    words = ("--", "python", "train.py", "fixed")
    case = Case("reports", "x-sick", words, "watch", interpreter="ENVDOCTOR_X_PYTHON")
    _, *line = line_of(case, Path("run.jsonl"))
    assert line == ["watch", "--save", "run.jsonl", "--", "/x/bin/python", "train.py", "fixed"]
