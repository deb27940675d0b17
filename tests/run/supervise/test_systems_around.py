"""Folders and control groups that others made, as the doctor reads them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from envdoctor.run.supervise import _cgroup, folders
from envdoctor.run.supervise.leftovers import files_in

DEEP = 1100  # folders: more than Python recurses


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A folder with a file below many others. What clears up after a test recurses, too."""
    here = os.getcwd()
    try:
        os.chdir(tmp_path)
        for _ in range(DEEP):
            os.mkdir("d")
            os.chdir("d")
        Path("x").write_text("four")
    finally:
        os.chdir(here)
    yield tmp_path
    subprocess.run(["rm", "-rf", str(tmp_path / "d")], check=True, timeout=600)


def test_a_deep_folder_is_walked(deep: Path) -> None:
    assert list(files_in(deep).values()) == ["4 bytes"]


def test_files_links_and_empty_folders(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("12")
    (tmp_path / "link").symlink_to(tmp_path / "full")
    assert files_in(tmp_path) == {
        "empty": "directory",
        "full/x": "2 bytes",
        "link": f"{len(os.fspath(tmp_path / 'full'))} bytes",
    }
    assert files_in(tmp_path / "missing") == {}
    assert {entry.owner for entry in folders.below(tmp_path)} == {os.getuid()}


def test_limits_of_the_groups_around_hold_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = tmp_path / "job" / "step"
    step.mkdir(parents=True)
    for folder, memory, cores in (
        (tmp_path, "max", "max 100000"),
        (step.parent, str(1 << 30), "200000 100000"),
        (step, "max", "max 100000"),
    ):
        (folder / "memory.max").write_text(memory)
        (folder / "memory.current").write_text("1024")
        (folder / "memory.stat").write_text("file 24")
        (folder / "cpu.max").write_text(cores)
    monkeypatch.setattr(_cgroup, "ROOT", tmp_path)
    monkeypatch.setattr(
        _cgroup, "_folder", lambda controller: step if not controller else tmp_path / "none"
    )
    assert _cgroup.available() == (1 << 30) - 1000
    assert _cgroup.cores() == 2.0
