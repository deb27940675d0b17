"""The line of each open() that writes, in a watched process: open() stays what it is to others."""

from __future__ import annotations

import builtins
import copy
import gzip
import io
import json
import pickle
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envdoctor.model.training_events import announced
from envdoctor.model.training_files import WrittenFile
from envdoctor.probe.live import openings
from envdoctor.watch.pages import PageReport

OPEN = open


class Hook:
    """Keeps what is journaled."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def write(self, line: bytes) -> None:
        self.events.append(json.loads(line))

    def complain(self, why: str) -> None:
        raise AssertionError(why)


@pytest.fixture
def hook() -> Iterator[Hook]:
    """The hook of a process in which open() is followed."""
    made = Hook()
    try:
        openings.follow(made)
        yield made
    finally:
        builtins.open = io.open = OPEN


@pytest.mark.parametrize("mode", ["w", "wb", "x", "wt"])
def test_line_that_opens_for_writing_is_journaled_once(
    mode: str, hook: Hook, tmp_path: Path
) -> None:
    def write() -> None:
        with open(file=tmp_path / "log.csv", mode=mode):
            pass
        (tmp_path / "log.csv").unlink()

    write()
    write()
    (event,) = hook.events
    assert event["where"] == str(tmp_path / "log.csv")
    assert event["frame"]["file"] == __file__
    assert event["frame"]["line"] == write.__code__.co_firstlineno + 1


def test_line_of_the_user_is_the_one_that_calls_a_library(hook: Hook, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a", encoding="ascii")
    gzip.open(tmp_path / "b.gz", "wb").close()
    assert [event["where"][-5:] for event in hook.events] == ["a.txt", "/b.gz"]
    assert {event["frame"]["file"] for event in hook.events} == {__file__}


@pytest.mark.parametrize("mode", ["r", "rb", "a", "ab", "r+", "w+"])
def test_openings_that_cannot_garble_are_not_journaled(
    mode: str, hook: Hook, tmp_path: Path
) -> None:
    path = tmp_path / "log.csv"
    path.touch()
    open(path, mode).close()
    assert hook.events == []


def test_descriptors_are_not_paths(hook: Hook, tmp_path: Path) -> None:
    file = (tmp_path / "log.csv").open("a")
    open(file.fileno(), "w", closefd=False).close()
    file.close()
    assert hook.events == []


def test_open_is_pickled_copied_and_not_bound_as_before(hook: Hook, tmp_path: Path) -> None:
    class Reader:
        opens = open

    (tmp_path / "log.csv").touch()
    Reader().opens(tmp_path / "log.csv").close()
    assert builtins.open is io.open is copy.deepcopy(open)
    assert builtins.open is not OPEN
    text = pickle.dumps(open)
    assert pickle.loads(text) is open
    builtins.open = io.open = OPEN
    assert pickle.loads(text) is OPEN


def test_traceback_has_no_line_of_ours(hook: Hook, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        open(tmp_path / "none" / "log.csv", "w").close()
    assert [frame.filename for frame in traceback.extract_tb(raised.value.__traceback__)] == [
        __file__
    ]


def test_lines_of_a_file_are_those_that_opened_it() -> None:
    report, file = PageReport(), WrittenFile("/logs/a.csv", 2, (2, 3))
    events = [
        {
            "what": "opens",
            "pid": 2,
            "t": 0.0,
            "where": where,
            "frame": {"file": "/m.py", "line": line, "function": "f"},
        }
        for where, line in (("/logs/a.csv", 9), ("/logs/a.csv", 7), ("/logs/b.csv", 5))
    ]
    report.take(map(announced, events))
    assert [each.line for each in report.with_lines(file).lines] == [7, 9]
