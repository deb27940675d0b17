"""Temporary files and folders of a watched process: tempfile stays what it is to others."""

from __future__ import annotations

import importlib
import inspect
import json
import pickle
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envdoctor.model.training_events import announced
from envdoctor.model.training_files import TemporaryFiles
from envdoctor.probe.live import temporary_files
from envdoctor.watch.pages import PageReport


class Hook:
    """Keeps what is journaled."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def write(self, line: bytes) -> None:
        self.events.append(json.loads(line))

    load = staticmethod(importlib.import_module)

    def complain(self, why: str) -> None:
        raise AssertionError(why)

    def made(self) -> list[TemporaryFiles]:
        report = PageReport()
        report.take(announced({**each, "pid": 7, "t": 0.0}) for each in self.events)
        return [*report.temporary_files()]


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    """The hook of a process in which tempfile is followed."""
    for name in (temporary_files.FOLDER, temporary_files.FILE):
        monkeypatch.setattr(tempfile, name, getattr(tempfile, name))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    hook = Hook()
    temporary_files.take(hook, tempfile)  # type: ignore[arg-type]
    return hook


def counts(hook: Hook) -> list[tuple[int, int]]:
    return [(each.made, each.left) for each in hook.made()]


def test_folders_that_are_left_are_counted_by_their_line(hook: Hook) -> None:
    for _ in range(5):
        tempfile.mkdtemp(prefix="episode-")
    (each,) = hook.made()
    assert (each.pid, each.made, each.left) == (7, 5, 5)
    assert each.location.file == __file__
    code = test_folders_that_are_left_are_counted_by_their_line.__code__
    assert each.location.line == code.co_firstlineno + 2


def test_file_that_is_kept_on_purpose_is_counted(hook: Hook) -> None:
    with tempfile.NamedTemporaryFile(delete=False):
        pass
    assert counts(hook) == [(1, 1)]


def test_deleted_files_are_not_left(hook: Hook) -> None:
    with tempfile.TemporaryDirectory(), tempfile.NamedTemporaryFile() as file:
        assert Path(file.name).exists()
    assert sorted(counts(hook)) == [(1, 0), (1, 0)] or counts(hook) == [(2, 0)]


def test_first_of_a_line_are_journaled(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(temporary_files, "TEMPORARY", 3)
    for _ in range(5):
        tempfile.mkdtemp()
    assert counts(hook) == [(3, 3)]


def test_functions_stay_what_they_are(hook: Hook) -> None:
    assert str(inspect.signature(tempfile.mkdtemp)).startswith(
        "(suffix=None, prefix=None, dir=None"
    )
    assert pickle.loads(pickle.dumps(tempfile.mkdtemp)) is tempfile.mkdtemp
    with pytest.raises(FileNotFoundError) as caught:
        tempfile.mkdtemp(dir="/no/such/folder")
    assert "envdoctor" not in str(caught.traceback[1].path)
    assert hook.events == []
