"""`--diff` and `--fix` through the installed command."""

from __future__ import annotations

import json
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate

from envdoctor.cli.command_options import Outlets
from envdoctor.cli.fixing import _base, check_options, check_sweep, roots, show, write
from envdoctor.cli.writing import Wanted
from envdoctor.errors import UsageError
from envdoctor.model.finding import Finding, Remedy
from envdoctor.model.fixes import Fix, FixedFinding
from envdoctor.model.report import Report, SubjectReport
from envdoctor.model.subject import FILE, Subject
from envdoctor.reporters.json_v1 import schema
from envdoctor.request.request import Request
from envdoctor.saved.reading import read_runs
from tests.support.zoo import COMMAND

ARM = """import os


class Arm:
    def reset(self, seed=None):
        self.log = open(os.devnull)
        return 0.0

    def step(self, action):
        return 0.0, 0.0, True, {}

    def close(self):
        pass
"""
CURED = """import os


class Arm:
    def reset(self, seed=None):
        if getattr(self, "log", None) is not None:
            self.log.close()
        self.log = open(os.devnull)
        return 0.0

    def step(self, action):
        return 0.0, 0.0, True, {}

    def close(self):
        if getattr(self, "log", None) is not None:
            self.log.close()
            self.log = None
"""
UNCURED = Finding("CLS006", "n", "error", "m", Remedy("r"), "arm.py")
WORDS = ("--managers", "direct", "--select", "CLS006,DET001")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), "check", "arm.py", *WORDS, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "arm.py"
    path.write_bytes(ARM.replace("\n", "\r\n").encode())
    path.chmod(0o755)
    return tmp_path


def test_difference_is_what_git_applies(project: Path) -> None:
    before = (project / "arm.py").read_bytes()
    done = subprocess.run(
        [str(COMMAND), "check", "arm.py", *WORDS, "--diff", "-q", "--report", "json=report.json"],
        cwd=project,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert b"envdoctor: would fix arm.py\nenvdoctor:   CLS006 arm.py: close() leaves" in done.stderr
    assert (project / "arm.py").read_bytes() == before
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn"],
        input=done.stdout,
        cwd=project,
        check=True,
        timeout=60,
    )
    assert (project / "arm.py").read_bytes() == CURED.replace("\n", "\r\n").encode()
    document = json.loads((project / "report.json").read_text())
    validate(document, json.loads(schema()))
    assert document["fixes"]["written"] is False
    assert [each["code"] for each in document["fixes"]["cured"]] == ["CLS006"]


@pytest.mark.always
def test_fix_is_written_and_the_report_is_of_the_files_after_it(project: Path) -> None:
    done = run(project, "--fix", "--format", "json", "--save", "run.jsonl")
    assert done.returncode == 0, done.stderr
    path = project / "arm.py"
    assert path.read_bytes() == CURED.replace("\n", "\r\n").encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o755
    document = json.loads(done.stdout)
    assert document["findings"] == []
    assert document["fixes"]["written"] is True
    assert [each["file"] for each in document["fixes"]["files"]] == [str(path)]
    assert "fixed 1 finding in 1 file; 0 findings remain" in done.stderr
    left = {each.name for each in project.iterdir()} - {"__pycache__"}
    assert left == {"arm.py", "run.jsonl"}
    (saved,) = read_runs([project / "run.jsonl"])
    assert saved.complete


@pytest.mark.parametrize(
    ("asked", "tries", "format_", "sentence"),
    [
        ({"diff": True, "fix": True}, True, "terminal", "--diff shows what --fix writes"),
        ({"diff": True}, True, "json", "--report json=FILE"),
        ({"fix": True}, False, "terminal", "--no-try-remedies verifies no code"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    asked: dict[str, Any], tries: bool, format_: str, sentence: str
) -> None:
    request = Request((), try_remedies=tries)
    with pytest.raises(UsageError, match=sentence):
        check_options(Outlets(**asked), request, (Wanted(format_, None, ""),))


@pytest.mark.parametrize(
    ("findings", "verdict", "interrupted", "says"),
    [
        ((), "healthy", False, "nothing was found, so there is nothing to write"),
        ((), "inconclusive", False, "no finding has verified code that can be written"),
        ((UNCURED,), "sick", False, "no finding has verified code that can be written"),
        ((UNCURED,), "sick", True, "interrupted before the code was verified: nothing is written"),
    ],
)
def test_reason_for_which_nothing_is_written_is_said(
    findings: tuple[Finding, ...],
    verdict: str,
    interrupted: bool,
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = Report((), findings, (), (), (), verdict, interrupted=interrupted)
    written = write(lambda: result, (str(tmp_path),), tmp_path, 0)
    assert written.fixes is not None and not written.fixes.files
    show(result, (str(tmp_path),), tmp_path, 0)
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == [f"envdoctor: {says}"] * 2


def test_verified_code_that_is_not_written_is_named_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = (UNCURED, UNCURED.but(code="CLS007", remedy=Remedy("r", verified=True)))
    left = FixedFinding("CLS007", findings[1].fingerprint, "arm.py has several hard links")
    subject = SubjectReport("arm.py", fix=Fix(left=(left,)))
    write(lambda: Report((subject,), findings, (), (), (), "sick"), (str(tmp_path),), tmp_path, 0)
    assert capsys.readouterr().err.splitlines()[1:] == [
        "envdoctor:   CLS007 arm.py []: m",
        "envdoctor:     not written: arm.py has several hard links",
    ]


def test_project_and_that_of_a_named_file_may_be_changed(tmp_path: Path) -> None:
    repository, other = tmp_path / "repository", tmp_path / "other"
    for folder in (repository / ".git", repository / "envs", other):
        folder.mkdir(parents=True)
    named = Subject("arm.py", FILE, path=str(other / "arm.py"))
    assert roots(repository / "envs", (named,)) == (str(repository), str(other))


def git(folder: Path, *words: str) -> None:
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *author, *words], cwd=folder, check=True, timeout=60)


def test_sweep_is_fixed_only_where_git_has_everything(tmp_path: Path) -> None:
    (tmp_path / "envs").mkdir()
    (tmp_path / "envs" / "arm.py").write_text(ARM)
    with pytest.raises(UsageError, match="needs a git repository"):
        check_sweep(tmp_path, "local", None, False)
    git(tmp_path, "init", "-q")
    with pytest.raises(UsageError, match=r"commit or stash 1 file first, such as envs/arm.py"):
        check_sweep(tmp_path / "envs", "local", None, False)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "arm")
    check_sweep(tmp_path, "local", 1, False)
    (tmp_path / "envs" / "arm.py").write_text(CURED)
    with pytest.raises(UsageError, match=r"commit or stash 1 file first"):
        check_sweep(tmp_path, "local", None, False)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("ray", None, False), "--on local and --jobs 1"),
        (("local", 2, False), "--on local and --jobs 1"),
        (("local", None, True), "--no-try-remedies verifies no code"),
    ],
)
def test_sweep_that_writes_side_by_side_is_refused(
    words: tuple[str, int | None, bool], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=sentence):
        check_sweep(tmp_path, *words)


@pytest.mark.parametrize(
    ("files", "base"),
    [
        (["project/envs/arm.py"], "project/envs"),
        (["project/envs/arm.py", "project/lib/base.py"], "project"),
        (["other/arm.py"], "other"),
        (["project/lib/base.py", "other/arm.py"], ""),
    ],
)
def test_paths_of_a_difference_are_those_below_the_current_folder_where_all_are(
    files: list[str], base: str, tmp_path: Path
) -> None:
    contents = {tmp_path / file: (b"", b"") for file in files}
    folders = (str(tmp_path / "project"), str(tmp_path / "other"))
    assert _base(contents, tmp_path / "project" / "envs", folders) == tmp_path / base
