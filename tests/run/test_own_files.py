"""Files that a fix may change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from envdoctor.run.own_files import refusal


def file(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    return path


def test_file_of_the_project_may_be_changed(tmp_path: Path) -> None:
    assert refusal(str(file(tmp_path / "envs" / "arm.py")), [str(tmp_path)]) == ""


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("project/venv/lib/python3.11/site-packages/arm.py", "belongs to a library"),
        ("project/python/lib/python3.11/arm.py", "belongs to a library"),
        ("project/.venv/arm.py", "belongs to a virtual environment"),
        ("other/arm.py", "is outside the project"),
        ("project-2/arm.py", "is outside the project"),
    ],
)
def test_file_of_others_is_refused(place: str, reason: str, tmp_path: Path) -> None:
    file(tmp_path / "project/.venv/pyvenv.cfg")
    path = file(tmp_path / place)
    assert refusal(str(path), [str(tmp_path / "project")]) == f"{path} {reason}"


def test_link_to_a_file_of_others_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "project" / "arm.py"
    link.parent.mkdir()
    link.symlink_to(file(tmp_path / "other" / "arm.py"))
    assert refusal(str(link), [str(link.parent)]) == f"{link} is outside the project"


def test_hard_link_is_refused(tmp_path: Path) -> None:
    path = file(tmp_path / "arm.py")
    os.link(path, tmp_path / "same.py")
    assert "has 2 hard links" in refusal(str(path), [str(tmp_path)])


def test_file_that_may_not_be_written_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file(tmp_path / "arm.py")
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert refusal(str(path), [str(tmp_path)]) == f"{path} may not be written"
