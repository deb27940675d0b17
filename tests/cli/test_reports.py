"""Several reports of one run: what is asked for, what is refused before the run, and files that
are whole or not there.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import envdoctor.run.examine
from envdoctor.cli import checkout, files, writing
from envdoctor.cli.main import app
from envdoctor.errors import UsageError
from envdoctor.model.report import Report
from envdoctor.reporters import formats
from tests.reporters.sample import SAMPLE


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["check", "A-v0", *arguments])


@pytest.fixture(autouse=True)
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """The engine answers with the sample; the list holds what it was asked for."""
    asked: list[object] = []

    def examine(request: object, progress: Callable[[str], None], *_: object) -> Report:
        asked.append(request)
        return SAMPLE

    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE", "CI_PROJECT_DIR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(envdoctor.run.examine, "examine", examine)
    yield asked


def test_one_run_gives_every_format(tmp_path: Path, runs: list[object]) -> None:
    asked = {name: tmp_path / f"report.{name}" for name in formats()}
    result = run(
        "--format",
        "json",
        *(word for name, path in asked.items() for word in ("--report", f"{name}={path}")),
    )
    assert result.exit_code == 1
    assert len(runs) == 1
    assert json.loads(result.stdout)["version"] == 1
    assert all(path.read_text() for path in asked.values())
    assert (
        json.loads((tmp_path / "report.sarif").read_text())["runs"][0]["invocations"][0]["exitCode"]
        == 1
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        path.name for path in asked.values()
    )


def test_leak_has_it_too(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["leak", "A-v0", "--format", "github", "--report", f"json={tmp_path / 'x'}"]
    )
    assert result.stdout.startswith("::error ")
    assert json.loads((tmp_path / "x").read_text())["version"] == 1


def test_help_names_every_format() -> None:
    import typer.main

    command = typer.main.get_command(app).commands["check"]  # type: ignore[attr-defined]
    (told,) = [parameter.help for parameter in command.params if "--format" in parameter.opts]
    assert set(formats()) <= {word.strip(",.") for word in told.split()}


def test_fail_on_level_decides_junit_failures(tmp_path: Path) -> None:
    run("--fail-on", "note", "--report", f"junit={tmp_path / 'x'}")
    assert 'failures="7"' in (tmp_path / "x").read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--report", "srif=x"], "no format is called 'srif'; did you mean sarif?"),
        (
            ["--report", "github_summary=x"],
            "no format is called 'github_summary'; did you mean github-summary?",
        ),
        (["--report", "sarif"], "--report sarif: name the file, as in --report sarif=FILE"),
        (["--report", "sarif="], "--report sarif=: name the file, as in --report sarif=FILE"),
        (["--report", "sarif=-"], "--report sarif=-: name a file; --format sarif writes to stdout"),
        (
            ["--report", "sarif=/nowhere/x"],
            "--report sarif=/nowhere/x: directory /nowhere not found",
        ),
        (["--report", "sarif=/usr"], "--report sarif=/usr is a directory; name a file in it"),
        (
            ["--output", "x", "--report", "sarif=./x"],
            "--report sarif=./x: two reports cannot go to one file",
        ),
    ],
)
def test_unwritable_report_is_refused_before_the_run(
    arguments: list[str], sentence: str, runs: list[object]
) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"envdoctor: {sentence}\n")
    assert not runs


def test_devices_may_take_several(tmp_path: Path) -> None:
    assert run("--report", "json=/dev/null", "--report", "sarif=/dev/null").exit_code == 1


def fail_for(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """No space is left for files of these names."""
    replace = os.replace

    def full(aside: str, path: Path) -> None:
        if path.name in names:
            raise OSError(errno.ENOSPC, "No space left on device")
        replace(aside, path)

    monkeypatch.setattr(os, "replace", full)


def test_report_goes_to_stdout_when_its_file_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_for(monkeypatch, "a")
    (tmp_path / "a").write_text("of the run before")
    result = run("--format", "json", "--output", str(tmp_path / "a"))
    assert result.exit_code == 2
    assert json.loads(result.stdout)["version"] == 1
    assert (
        result.stderr
        == f"envdoctor: --output {tmp_path / 'a'}: No space left on device; the report went to"
        " stdout\n"
    )
    assert (tmp_path / "a").read_text() == "of the run before"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_one_file_that_fails_keeps_no_other_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_for(monkeypatch, "a")
    result = run(
        "--format",
        "json",
        "--report",
        f"sarif={tmp_path / 'a'}",
        "--report",
        f"junit={tmp_path / 'b'}",
    )
    assert result.exit_code == 2
    assert json.loads(result.stdout)["version"] == 1, (
        "stdout holds what was asked for and nothing else"
    )
    assert result.stderr == f"envdoctor: --report sarif={tmp_path / 'a'}: No space left on device\n"
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_a_step_summary_is_added_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = tmp_path / "summary"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    run("--report", f"github-summary={summary}")
    run("--report", f"github-summary={summary}")
    assert summary.read_text().startswith("before\n## envdoctor: failed")
    assert summary.read_text().count("## envdoctor: failed") == 2


def test_paths_are_relative_to_the_repository_not_to_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "deep" / "deeper")
    assert json.loads(run("--format", "gitlab").stdout)[0]["location"]["path"] == "setup.py"


def test_a_workspace_without_a_repository_is_a_root(tmp_path: Path) -> None:
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    assert checkout.root(inside, {"GITHUB_WORKSPACE": str(tmp_path)}) == tmp_path
    assert checkout.root(inside, {"CI_PROJECT_DIR": str(tmp_path / "elsewhere")}) == inside
    (tmp_path / "a" / ".git").write_text("gitdir: elsewhere")  # a worktree's
    assert checkout.root(inside, {"GITHUB_WORKSPACE": str(tmp_path)}) == tmp_path / "a"


def test_a_file_is_whole_from_the_first_look_on(tmp_path: Path) -> None:
    """Whoever reads beside us sees the old text or the new one, and nothing between."""
    path, texts = tmp_path / "report", ("a" * 1_000_000, "b" * 1_000_000)
    files.write_whole(path, texts[0])
    seen, over = set(), threading.Event()

    def look() -> None:
        while not over.is_set():
            seen.add(path.read_text())

    reader = threading.Thread(target=look)
    reader.start()
    for number in range(20):
        files.write_whole(path, texts[number % 2])
    over.set()
    reader.join(timeout=600)
    assert seen
    assert seen <= set(texts)


def test_a_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    there, link = tmp_path / "there", tmp_path / "link"
    there.write_text("old")
    there.chmod(0o640)
    link.symlink_to(there)
    files.write_whole(link, "new")
    assert link.is_symlink()
    assert (there.read_text(), stat.S_IMODE(there.stat().st_mode)) == ("new", 0o640)


def test_a_new_file_has_the_mode_that_any_has(tmp_path: Path) -> None:
    (tmp_path / "any").write_text("")
    files.write_whole(tmp_path / "new", "")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "any").stat().st_mode


@pytest.mark.parametrize("number", [errno.EACCES, errno.EBUSY])
def test_a_file_that_cannot_be_replaced_is_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """One that was mounted into a container alone, say."""

    def refuse(*_: object) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(os, "replace", refuse)
    files.write_whole(tmp_path / "report", "text")
    assert (tmp_path / "report").read_text() == "text"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    """A shell's process substitution gives one."""
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(
        [sys.executable, "-c", f"print(open({str(tmp_path / 'pipe')!r}).read())"],
        stdout=subprocess.PIPE,
        text=True,
    )
    files.write_whole(tmp_path / "pipe", "text")
    assert reader.communicate(timeout=600)[0] == "text\n"


def test_a_report_is_asked_for_by_name() -> None:
    every = writing.wanted("terminal", None, ["json=a", "sarif=b=c"])
    assert [(one.format, one.path) for one in every] == [
        ("terminal", None),
        ("json", Path("a")),
        ("sarif", Path("b=c")),
    ]
    with pytest.raises(UsageError):
        writing.wanted("terminal", None, ["json=a", "sarif=a"])


@pytest.mark.parametrize(
    "file", sorted((Path(__file__).parents[2] / "docs").rglob("*.md")), ids=lambda file: file.name
)
def test_documents_name_formats_that_exist(file: Path) -> None:
    text = file.read_text()
    assert set(re.findall(r"--(?:format|report) ([a-z][a-z-]*)\b", text)) <= set(formats())


def test_every_format_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()
    assert set(formats()) <= set(re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE))
