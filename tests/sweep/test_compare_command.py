"""`envdoctor compare` of what is examined now: commits of a repository, versions of packages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from envdoctor.cli.main import app
from envdoctor.errors import UsageError
from envdoctor.run.supervise.cleanup_watchdog import PREFIX
from envdoctor.sweep.commits import Commits, reason_here
from envdoctor.sweep.venvs import READY, Venvs
from tests.support.waiting import until
from tests.sweep.place import QUICK, WAREHOUSE, Place

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not on PATH")
IDENTITY = ("-c", "user.name=ana", "-c", "user.email=ana@example.org")

BY_VERSION = """
import toolbox
from warehouse import Belt, Crane

Machine = Crane if toolbox.leaks else Belt
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def git(folder: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(folder), *IDENTITY, *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    ).stdout


def repository(place: Place) -> None:
    """Two commits: before, and after the crane forgot its log; and a tree that is neither."""
    folder = place.folder / "src" / "depot"
    folder.mkdir(parents=True)
    git(place.folder, "init", "--quiet")
    (place.folder / ".gitignore").write_text("t\nout\nmark\n__pycache__\n")
    for tag, name in (("v1", "Belt"), ("v2", "Crane")):
        (folder / "__init__.py").write_text(f"{WAREHOUSE}\n\nMachine = {name}\n")
        git(place.folder, "add", "--all")
        git(place.folder, "commit", "--quiet", "--message", tag)
        git(place.folder, "tag", tag)
    (folder / "__init__.py").write_text("raise SystemExit('the tree is not a commit')\n")


@needs_git
def test_two_commits_are_compared_and_the_tree_is_not_touched(place: Place) -> None:
    repository(place)
    hook = place.folder / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ../hooked hooked\n")
    hook.chmod(0o700)
    before = git(place.folder, "status", "--porcelain")
    words = ("depot:Machine", "--ref", "v1", "--ref", "v2", *QUICK[:-1])
    code, told, said = place.run("compare", *words)
    assert code == 1, told + said
    assert told.startswith("new: error CLS006 depot:Machine [direct]: close() leaves 1 descriptor")
    assert told.endswith("1 environment compared: 1 new\n")
    assert git(place.folder, "status", "--porcelain") == before
    assert git(place.folder, "worktree", "list").count("\n") == 1
    assert list(place.folder.rglob("hooked")) == []
    assert until(lambda: not os.listdir(place.tmp))


@needs_git
def test_a_commit_that_does_not_exist_has_a_near_name(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "first")
    git(tmp_path, "tag", "release-1")
    with Commits(str(tmp_path)) as commits:
        assert len(commits.commit_of("release-1")) == 40
        with pytest.raises(UsageError, match="did you mean release-1"):
            commits.commit_of("relase-1")
        with pytest.raises(UsageError, match="no commit"):
            commits.commit_of("--all")


@needs_git
def test_the_entry_of_a_killed_run_is_removed_and_no_other(tmp_path: Path) -> None:
    repository, ours = tmp_path / "r", tmp_path / f"{PREFIX}dead"
    repository.mkdir()
    git(repository, "init", "--quiet")
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "first")
    reasons = {
        ours / "commit-0": reason_here(),
        ours / "commit-1": "envdoctor of.another.machine",
        ours / "commit-2": "",
        tmp_path / "unplugged": reason_here(),
    }
    for path, reason in reasons.items():
        git(repository, "worktree", "add", "--quiet", "--detach", str(path))
        if reason:
            git(repository, "worktree", "lock", "--reason", reason, str(path))
        shutil.rmtree(path)
    (repository / "lab").mkdir()
    with Commits(str(repository / "lab")):
        left = git(repository, "worktree", "list")
    assert [path.name for path in reasons if str(path) in left] == [
        "commit-1",
        "commit-2",
        "unplugged",
    ]


@needs_git
def test_a_worktree_in_use_names_its_machine_and_goes(tmp_path: Path) -> None:
    repository, path = tmp_path / "r", tmp_path / f"{PREFIX}a" / "commit-0"
    repository.mkdir()
    git(repository, "init", "--quiet")
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "first")
    with Commits(str(repository)) as commits:
        assert commits.checkout("HEAD", path) == os.path.realpath(path)
        listed = git(repository, "worktree", "list", "--porcelain")
        with Commits(str(repository)):
            assert path.is_dir()
    (lock,) = [line for line in listed.splitlines() if line.startswith("locked")]
    assert lock == f"locked envdoctor {os.uname().nodename}"
    assert git(repository, "worktree", "list").count("\n") == 1
    assert not path.exists()


def test_a_folder_without_a_repository(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--ref"):
        Commits(str(tmp_path))


def wheel(folder: Path, version: str, leaks: bool) -> None:
    """A package in a file, as an index has it."""
    info = f"toolbox-{version}.dist-info"
    files = {
        "toolbox.py": f"leaks = {leaks}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: toolbox\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
    with zipfile.ZipFile(folder / f"toolbox-{version}-py3-none-any.whl", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)


def index(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index with two versions, and a cache of the test's own."""
    packages = place.folder / "packages"
    packages.mkdir()
    wheel(packages, "1.0", leaks=False)
    wheel(packages, "2.0", leaks=True)
    for tool in ("PIP", "UV"):
        monkeypatch.setenv(f"{tool}_NO_INDEX", "1")
        monkeypatch.setenv(f"{tool}_FIND_LINKS", str(packages))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("XDG_CACHE_HOME", str(place.folder / "cache"))


@pytest.mark.everything
def test_versions_of_a_package_end_in_one_table(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(place, monkeypatch)
    (place.folder / "machine.py").write_text(BY_VERSION)
    versions = [word for name in ("1.0", "2.0", "9.0") for word in ("--with", f"toolbox=={name}")]
    code, told, said = place.run("compare", "machine.py:Machine", *versions, *QUICK[:-1])
    assert code == 1, told + said
    lines = told.splitlines()
    assert lines[0] == "toolbox==1.0 -> toolbox==2.0"
    assert lines[1].startswith("new: error CLS006 machine.py:Machine")
    assert "  toolbox 1.0 -> 2.0" in lines
    (missing,) = (line for line in lines if line.startswith("toolbox==9.0 could not be examined: "))
    assert "toolbox==9.0" in missing.partition("examined: ")[2]
    heads, row, cause = lines[-5], lines[-4], lines[-3]
    assert heads.split() == ["toolbox==1.0", "toolbox==2.0"]
    assert row.split()[1:] == ["nothing", "found", "1", "error"]
    assert (cause.split()[0], cause.split()[-2:]) == ("CLS006", ["-", "error"])
    assert until(lambda: not os.listdir(place.tmp))


@pytest.mark.parametrize("uv", [False, True], ids=["pip", "uv"])
def test_an_interpreter_is_made_once_and_sees_all_that_the_users_has(
    place: Place, monkeypatch: pytest.MonkeyPatch, uv: bool
) -> None:
    found = shutil.which("uv")
    if uv and found is None:
        pytest.skip("uv is not on PATH")
    index(place, monkeypatch)
    monkeypatch.setattr("envdoctor.sweep.venvs.shutil.which", lambda _name: found if uv else None)
    venvs = Venvs(place.folder / "cache", sys.executable, {"typer": "0"})
    made = venvs.interpreter(["toolbox==2.0"])
    assert made.reason == ""
    words = [made.python, "-c", "import gymnasium, toolbox, typer; print(toolbox.leaks)"]
    assert subprocess.check_output(words, text=True, timeout=600) == "True\n"
    assert Path(made.python).parents[1].joinpath(READY).exists()
    monkeypatch.setattr("envdoctor.sweep.venvs._run", lambda _words: pytest.fail("made again"))
    assert venvs.interpreter(["toolbox==2.0"]) == made


def test_unused_venv_is_removed(tmp_path: Path) -> None:
    for name, file, days in (("old", READY, 40), ("new", READY, 3), (".part-a", "x", 2)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / file).touch()
        for path in (folder / file, folder):
            when = path.stat().st_mtime - days * 86400
            os.utime(path, (when, when))
    Venvs(tmp_path, sys.executable, {}).remove_old()
    assert os.listdir(tmp_path) == ["new"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--ref", "v1", "--with", "a==1"), "do not go together"),
        (("--with", "a==1", "--python", "p", "--python", "q"), "name one --python"),
        (("--python", "p"), "name two interpreters"),
        (("--with", "gymnasium"), "expected a package and its version"),
    ],
)
def test_contradicting_options_are_refused(words: tuple[str, ...], sentence: str) -> None:
    told = CliRunner().invoke(app, ["compare", "warehouse.py:Belt", *words])
    assert told.exit_code == 2
    assert sentence in " ".join(told.output.split())
