"""JSON lines are written as findings are known, and together are those of the report."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envdoctor.cli.streaming import JsonLines
from envdoctor.model.finding import Finding
from envdoctor.model.report import Report
from envdoctor.reporters.jsonl import render
from envdoctor.verdict.diagnosis import Run
from tests.reporters.reports import ALL
from tests.reporters.sample import HOSTILE, SAMPLE, hostile

ZOO = Path(__file__).parents[1] / "envs" / "cls003_second_close_raises.py"
RUN = Run(
    seed=SAMPLE.seed,
    command=SAMPLE.command,
    platform=SAMPLE.platform,
    version=SAMPLE.version,
)


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="ascii").splitlines(keepends=True)


def written(path: Path, report: Report, *batches: Iterable[Finding]) -> bool:
    """Write the findings in these batches, then the rest of the report. True where that was begun."""
    begun = JsonLines(path, lambda report: report)
    begun.begin(replace(RUN, seed=report.seed, command=report.command, version=report.version))
    try:
        for batch in batches:
            begun.complete(batch)
        return begun.finish(report)
    finally:
        begun.close()


def alike(report: Report) -> Report:
    """The report on the platform of the run."""
    return replace(report, platform=SAMPLE.platform)


@pytest.mark.parametrize("name", ALL)
def test_all_lines_together_are_those_of_the_report(name: str, tmp_path: Path) -> None:
    report, path = alike(ALL[name]), tmp_path / "lines.jsonl"
    first, rest = report.findings[1:], report.findings[:1]
    begun = written(path, report, first, rest)
    assert begun is bool(report.findings)
    if begun:
        assert Counter(lines(path)) == Counter(render(report).splitlines(keepends=True))
        assert json.loads(lines(path)[0])["type"] == "run"
        assert json.loads(lines(path)[-1])["type"] == "summary"


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))
def test_any_text_is_written_as_in_the_report(text: str, tmp_path: Path) -> None:
    report, path = alike(hostile(text)), tmp_path / "lines.jsonl"
    written(path, report, report.findings)
    assert Counter(lines(path)) == Counter(render(report).splitlines(keepends=True))


def test_a_finding_is_in_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    begun = JsonLines(path, lambda report: report)
    begun.begin(RUN)
    assert not path.exists()
    begun.complete(SAMPLE.findings[:1])
    assert [json.loads(line)["type"] for line in lines(path)] == ["run", "finding"]
    begun.close()


def test_old_file_stays_until_the_first_finding(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text("before")
    assert not written(path, SAMPLE)
    assert path.read_text() == "before"


def test_two_equal_findings_are_two_lines(tmp_path: Path) -> None:
    twice = replace(SAMPLE, findings=(SAMPLE.findings[0],) * 2)
    path = tmp_path / "lines.jsonl"
    written(path, alike(twice), twice.findings[:1])
    assert sum(json.loads(line)["type"] == "finding" for line in lines(path)) == 2


def test_a_file_that_cannot_be_written_is_left_to_the_report(tmp_path: Path) -> None:
    assert not written(tmp_path / "missing" / "lines.jsonl", SAMPLE, SAMPLE.findings)


def test_a_reader_of_a_named_pipe_that_goes_away_leaves_all_to_the_report(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    begun = JsonLines(path, lambda report: report)
    begun.begin(RUN)
    begun.complete(SAMPLE.findings[:1])
    os.close(reader)
    begun.complete(SAMPLE.findings[1:])
    assert not begun.finish(SAMPLE)
    begun.close()


SICK = ("check", f"{ZOO}:Sick", "--managers", "direct", "--select", "CLS003", "--format", "jsonl")


def command(*words: str, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "envdoctor", *SICK, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def documents(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.always
def test_the_lines_on_stdout_and_in_a_file_are_the_document(tmp_path: Path) -> None:
    file, document = tmp_path / "lines.jsonl", tmp_path / "report.json"
    reports = ("--report", f"jsonl={file}", "--report", f"json={document}")
    stdout, stderr = command(*reports).communicate(timeout=600)
    assert stderr == ""
    assert stdout == file.read_text()
    whole = json.loads(document.read_text())
    for kind, key in (("finding", "findings"), ("passed", "passed"), ("scenario", "scenarios")):
        own = [each for each in documents(stdout) if each.pop("type") == kind]
        assert own == whole[key]
    assert documents(stdout)[-1] == {"type": "summary", **whole["summary"]}


def test_a_finding_is_written_while_scenarios_are_played() -> None:
    """Another environment follows, so that there is time to see it."""
    process = command(f"{ZOO}:Healthy", "--no-try-remedies")
    assert process.stdout is not None
    try:
        kinds = [json.loads(process.stdout.readline())["type"] for _ in range(2)]
        assert kinds == ["run", "finding"]
        assert process.poll() is None
        rest = documents(process.communicate(timeout=600)[0])
        assert [each["type"] for each in rest[:2]] == ["subject", "subject"]
    finally:
        process.kill()
        process.communicate()


def test_a_reader_that_goes_away_costs_nothing_but_its_lines() -> None:
    process = command(f"{ZOO}:Healthy", "--fail-on", "warning", "--no-try-remedies")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    stderr = process.stderr.read()
    assert (process.wait(timeout=600), stderr) == (1, "")
    process.stderr.close()


def test_an_interrupted_run_ends_with_its_summary() -> None:
    process = command(f"{ZOO}:Healthy", start_new_session=True)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.readline()
    os.kill(process.pid, signal.SIGINT)
    rest = documents(process.communicate(timeout=600)[0])
    assert process.returncode == 130
    assert rest[-1]["type"] == "summary"
    assert rest[-1]["interrupted"]
    assert not any(each["type"] == "finding" for each in rest)


def test_wrong_usage_leaves_no_lines(tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    words = (sys.executable, "-m", "envdoctor", "check", "no_such_file.py:Arm", "--format", "jsonl")
    done = subprocess.run(
        [*words, "--output", str(file)], capture_output=True, text=True, timeout=600, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert not file.exists()


@pytest.mark.everything
def test_an_anonymous_report_is_written_after_the_run() -> None:
    stdout, _ = command("--anonymous").communicate(timeout=600)
    kinds = [each["type"] for each in documents(stdout)]
    assert kinds[:3] == ["run", "subject", "finding"]


@pytest.mark.everything
def test_environments_side_by_side_share_the_lines() -> None:
    stdout, _ = command(f"{ZOO}:Healthy", "--jobs", "2").communicate(timeout=600)
    kinds = Counter(each["type"] for each in documents(stdout))
    assert (kinds["run"], kinds["subject"], kinds["finding"], kinds["summary"]) == (1, 2, 1, 1)
