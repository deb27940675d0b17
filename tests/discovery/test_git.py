"""Answers of git about what changed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from envdoctor.discovery.git import Changes, Git, changes_since, paths_in, recent_changes
from envdoctor.errors import UsageError

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
WHO = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")


def git(folder: Path, *words: str) -> None:
    subprocess.run(
        ("git", "-C", str(folder), *WHO, *words), check=True, capture_output=True, timeout=60
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits on a branch beside `main`, which has gone on by one."""
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    for name in ("kept", "edited", "deleted"):
        (tmp_path / f"{name}.py").touch()
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message=first")
    git(tmp_path, "checkout", "--quiet", "-b", "topic")
    (tmp_path / "edited.py").write_text("1")
    git(tmp_path, "rm", "--quiet", "deleted.py")
    git(tmp_path, "commit", "--quiet", "--all", "--message=topic")
    git(tmp_path, "checkout", "--quiet", "main")
    (tmp_path / "kept.py").write_text("2")
    git(tmp_path, "commit", "--quiet", "--all", "--message=later")
    git(tmp_path, "checkout", "--quiet", "topic")
    return tmp_path


def test_paths_are_read_as_git_writes_them() -> None:
    text = "a b.py\0\nsrc/\u00e4.py\0sub/\0a b.py\0"
    assert paths_in(text) == ("a b.py", "src/\u00e4.py", "sub")
    assert paths_in("") == ()


def test_paths_of_the_user_are_those_of_the_repository(tmp_path: Path) -> None:
    changes = Changes(str(tmp_path.resolve()), (), ())
    assert changes.inside("../src/arm.py", tmp_path / "scripts") == "src/arm.py"


@needs_git
def test_a_branch_has_changed_since_it_began(repository: Path) -> None:
    (repository / "lab").mkdir()
    (repository / "lab" / "new one.py").touch()
    (repository / ".gitignore").write_text("*.log")
    (repository / "out.log").touch()
    changes = changes_since("main", repository / "lab")
    assert set(changes.paths) == {"edited.py", "deleted.py", ".gitignore", "lab/new one.py"}
    assert {"kept.py", "deleted.py", "lab/new one.py"} <= set(changes.python_files)
    assert set(changes_since("topic", repository).paths) == {".gitignore", "lab/new one.py"}


@needs_git
def test_last_change_comes_first(repository: Path) -> None:
    (repository / "kept.py").write_text("3")
    recent = recent_changes(repository)
    assert recent is not None
    assert recent.paths == ("kept.py", "deleted.py", "edited.py")


@needs_git
def test_a_ref_that_does_not_exist_is_one_sentence(repository: Path) -> None:
    with pytest.raises(UsageError, match=r"^--since mian: no commit of .*; did you mean main\?$"):
        changes_since("mian", repository)
    for ref in ("", "--all", "main:kept.py"):
        with pytest.raises(UsageError, match="no commit"):
            changes_since(ref, repository)


@needs_git
def test_a_shallow_clone_is_named_as_the_reason(repository: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repository}", str(shallow))
    with pytest.raises(UsageError, match="the clone is shallow: fetch the whole history"):
        changes_since("origin/main", shallow)


@needs_git
def test_a_folder_without_a_repository_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^--since needs a git repository: .* is in none$"):
        changes_since("main", tmp_path)
    assert recent_changes(tmp_path) is None


def test_a_machine_without_git_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="--since needs git, which is not on PATH"):
        Git(".", "--since")("status")
