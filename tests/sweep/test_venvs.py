"""The cache of virtual environments: what is broken, and what an interpreter says. Nothing is
installed.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from envdoctor.sweep import venvs
from envdoctor.sweep.venvs import READY, Venvs, _show_behind, sites_in


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that were filled, with an empty file for an interpreter."""
    found: list[Path] = []

    def fill(_self: Venvs, folder: Path, _requirements: Sequence[str]) -> str:
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "python").touch()
        found.append(folder)
        return ""

    monkeypatch.setattr(Venvs, "_fill", fill)
    return found


def test_one_that_was_removed_in_part_is_made_again(tmp_path: Path, filled: list[Path]) -> None:
    cache = Venvs(tmp_path, "/bin/python", {})
    made = cache.interpreter(["a==1"])
    python = Path(made.python)
    (python.parents[1] / READY).unlink()
    python.unlink()
    assert cache.interpreter(["a==1"]) == made
    assert python.exists()
    assert cache.interpreter(["a==1"]) == made
    assert len(filled) == 2
    assert os.listdir(tmp_path) == [python.parents[1].name]


@pytest.mark.usefixtures("filled")
def test_one_that_cannot_be_put_in_its_place_has_a_reason(tmp_path: Path) -> None:
    cache = Venvs(tmp_path, "/bin/python", {})
    folder = Path(cache.interpreter(["a==1"]).python).parents[1]
    cache._remove(folder)
    folder.write_text("not a folder")
    made = cache.interpreter(["a==1"])
    assert made.python == ""
    assert "Not a directory" in made.reason


def test_old_venv_is_renamed_before_it_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, file, days in (("old", READY, 40), ("broken", "x", 2), ("begun", "x", 0)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / file).touch()
        for path in (folder / file, folder):
            when = path.stat().st_mtime - days * 86400
            os.utime(path, (when, when))
    removed: list[str] = []
    monkeypatch.setattr(venvs.guard, "remove", lambda path: removed.append(Path(path).name))
    Venvs(tmp_path, "/bin/python", {}).remove_old()
    assert sorted(os.listdir(tmp_path)) == sorted([*removed, "begun"])
    assert [name[:6] for name in removed] == [".part-"] * 2


def test_folders_follow_what_a_sitecustomize_prints() -> None:
    assert sites_in('hello\n[1]\n["/a", "/b"]\n') == ["/a", "/b"]


@pytest.mark.parametrize("said", ["", "hello\n", '["/a"]\nbye\n', "3\n"])
def test_an_interpreter_that_does_not_say_its_folders_is_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    done = subprocess.CompletedProcess((), 0, said, "")
    monkeypatch.setattr("envdoctor.sweep.venvs._run", lambda _words: done)
    made = Venvs(tmp_path, "/bin/python", {}).interpreter(["a==1"])
    assert made.reason == "the interpreter did not say where its packages are installed"
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["python3.12", "pypy3.11"])
def test_extra_site_directories_are_named_in_a_pth_file(tmp_path: Path, name: str) -> None:
    own = tmp_path / "lib" / name / "site-packages"
    own.mkdir(parents=True)
    _show_behind(tmp_path, ["/a"])
    assert (own / "envdoctor-behind.pth").read_text() == "import site; site.addsitedir('/a')\n"


def test_a_virtual_environment_without_a_folder_for_packages(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="does not have lib"):
        _show_behind(tmp_path, [])
