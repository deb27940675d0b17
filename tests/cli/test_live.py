"""Findings are said on a terminal as they come, once each, and before the run is over."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from envdoctor.cli.live import Announcer, line_of
from envdoctor.model.finding import Finding, Location, Remedy
from envdoctor.model.subject import Subject
from envdoctor.rules.engine.examples import raised, trace, verb
from envdoctor.verdict.diagnosis import Recorder, Run

ZOO = Path(__file__).parents[1] / "envs" / "cls003_second_close_raises.py"
SUBJECT = Subject("arm.py:Arm", "file")
TWICE = trace(
    verb("make"),
    verb("close"),
    verb("close", "raised", error=raised("ValueError", "closed")),
    name="close-twice",
    script="make close close drop",
)


class Kept(Recorder):
    def __init__(self) -> None:
        self.traces = 0

    def trace(self, _subject: object, _trace: object) -> None:
        self.traces += 1


def test_each_is_said_once_when_its_scenario_is_over_and_the_recorder_behind_hears_all() -> None:
    said: list[str] = []
    kept = Kept()
    announcer = Announcer(said.append, lambda report: report, kept)
    announcer.begin(Run(), ("CLS003", "CLS001"))
    announcer.trace(SUBJECT, trace(verb("make"), verb("close")))
    assert said == []
    announcer.trace(SUBJECT, TWICE)
    announcer.trace(SUBJECT, TWICE)
    (line,) = said
    assert line.startswith("warning CLS003 a second close() raises ValueError: closed")
    assert kept.traces == 3


def test_what_is_settled_otherwise_is_not_said() -> None:
    said: list[str] = []
    announcer = Announcer(
        said.append,
        lambda report: type(report)(**{**vars(report), "findings": ()}),
    )
    announcer.begin(Run(), ("CLS003",))
    announcer.trace(SUBJECT, TWICE)
    assert said == []


def test_a_line_has_the_place() -> None:
    finding = Finding(
        "CLS006", "x", "error", "1 is left", Remedy(""), location=Location("/home/me/arm.py", 41)
    )
    assert line_of(finding) == "error CLS006 1 is left (arm.py:41)"


def played(stderr: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "envdoctor", "check", f"{ZOO}:Sick", "--managers", "direct"]
    return subprocess.run(
        [*command, "--select", "CLS003"],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, "COLUMNS": "200", "TERM": "xterm"},
    )


def all_of(terminal: int) -> bytes:
    """What is written to a terminal until its other end is closed. It has room for 4 KiB: who
    writes more waits for a reader, and on a busy machine there is more progress to show.
    """
    heard = b""
    with open(terminal, "rb", buffering=0) as file, contextlib.suppress(OSError):
        while part := file.read(65536):
            heard += part
    return heard


def test_a_terminal_hears_it_and_the_report_in_a_pipe_has_it_once() -> None:
    reads, writes = pty.openpty()
    with ThreadPoolExecutor(1) as pool:
        hearing = pool.submit(all_of, reads)
        try:
            done = played(writes)
        finally:
            os.close(writes)
        heard = hearing.result(timeout=600)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", heard.decode(errors="replace"))
    assert text.count("warning CLS003 a second close() raises") == 1
    assert done.stdout.count("warning CLS003") == 1


def test_a_pipe_hears_nothing() -> None:
    command = played(subprocess.PIPE)
    assert command.stdout.count("warning CLS003") == 1
    assert "CLS003" not in command.stderr


@pytest.mark.everything
def test_the_quick_check_plays_alone_and_in_spawned_workers_only() -> None:
    command = [
        sys.executable,
        "-m",
        "envdoctor",
        "check",
        "CartPole-v1",
        "--quick",
        "--format",
        "json",
    ]
    done = subprocess.run(
        [*command, "--select", "VEC001,CLS001"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    played = json.loads(done.stdout)["subjects"][0]["managers"]
    assert sorted(
        map(tuple, (each.values() if isinstance(each, dict) else each for each in played))
    ) == [
        ("direct", None),
        ("gymnasium-async", "spawn"),
    ]
    refused = subprocess.run(
        [*command, "--thorough"], capture_output=True, text=True, timeout=600, check=False
    )
    assert refused.returncode == 2
    assert "--quick does not go together with --thorough" in refused.stderr
