"""Readings and rows of `top`: values only."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from envdoctor.cli import top, watching
from envdoctor.cli.training_view import view
from envdoctor.errors import UsageError
from envdoctor.run.supervise import owner
from envdoctor.watch import running
from envdoctor.watch.running import MARK, RunningTraining, mark, read
from envdoctor.watch.standing import Row, Trainer, TrainingStanding

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="top needs Linux")


def shown(one: TrainingStanding, columns: int = 120, rows: int = 0) -> str:
    console = Console(width=columns, color_system=None)
    with console.capture() as capture:
        console.print(view(one, columns, rows))
    return capture.get()


def test_nothing_that_a_run_says_acts_on_the_terminal() -> None:
    row = Row(1, "a\x1b[2Jb [red]", "Arm\x1b[2J", 1, 1, 0.0, 0, "", "c\x1b[2Jd")
    text = shown(TrainingStanding("python", 1.0, rows=(row,)))
    assert "\x1b" not in text
    assert r"a\x1b[2Jb [red]: c\x1b[2Jd" in text
    assert watching.line("Arm\x1b[2J\u202e") == "envdoctor: Arm\\x1b[2J\\u202e\n"


def test_one_is_not_a_plural() -> None:
    one = TrainingStanding("python", 1.0, made=1, open=1, resets=1, steps=1, pace=1.0, workers=1)
    text = shown(one)
    assert "1 instance made, 1 open; 1 reset, 1 step, 1 steps/s" in text
    assert "0 of 1 worker running" in text
    assert one.line == "1.0 s: 1 step, 1 reset, 1 instance made"


def test_a_narrow_terminal_shows_what_matters() -> None:
    rows = tuple(
        Row(pid, "fork", "Arm" * 9, 10**7, 10**9, 5e4, 2**31, "", "step() 9.0 s" * (pid == 40))
        for pid in range(41)
    )
    remarks = tuple(f"pid {pid} has been in step() of Arm: " + "word " * 60 for pid in range(5))
    trainer = Trainer(7, 2**31, (1, 2**30, 2**31), 61, 5)
    one = TrainingStanding("python " + "word " * 30, 99.0, workers=41, rows=rows, remarks=remarks)
    text = shown(replace(one, trainer=trainer), 79, 18)
    lines = text.splitlines()
    assert len(lines) <= 18
    assert max(map(len, lines)) <= 79
    for told in ("0 of 41 workers running", "step() 9.0 s", "pid 2 has", "2 more remarks", "▁▄█"):
        assert told in text
    assert sum("Arm" in line and "fork" in line for line in lines) + 35 == len(rows)
    assert "35 more processes" in text
    assert shown(one).count("fork") == len(rows)


@needs_linux
def test_a_digit_that_is_not_a_pid_is_a_file() -> None:
    with pytest.raises(UsageError, match="\u00b2"):
        top.run("\u00b2", None)


def test_a_training_is_read_as_it_was_written(tmp_path: Path) -> None:
    known = RunningTraining(("python", "a.py"), os.getpid(), 2, 3.5, owner.started(os.getpid()))
    mark(tmp_path, known)
    assert read(tmp_path) == known
    assert known.is_there


def test_another_process_with_the_same_number_is_not_the_training() -> None:
    assert not RunningTraining((), os.getpid(), 2, 3.5, "1 of another").is_there
    assert not RunningTraining((), os.getpid(), 2, 3.5, "").is_there


@pytest.mark.parametrize(
    "value",
    [
        [["python"], 1, 2, 3.5],  # of an older version
        [["python"], None, 2, 3.5, "4"],
        [["python"], 1, 2, "soon", "4"],
        [["python"], float("inf"), 2, 3.5, "4"],
        [1, 1, 2, 3.5, "4"],
        {"a": 1},
        7,
    ],
)
def test_a_file_that_is_not_of_a_training(tmp_path: Path, value: object) -> None:
    (tmp_path / MARK).write_text(json.dumps(value))
    assert read(tmp_path) is None


def test_the_training_of_another_user_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark(tmp_path, RunningTraining(("python",), 1, 2, 3.5, "4"))
    other = os.getuid() + 1
    monkeypatch.setattr(running.os, "getuid", lambda: other)
    assert read(tmp_path) is None
