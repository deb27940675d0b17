"""Findings are said on a terminal as they come, once each, and before the run is over."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from envdoctor.cli.live import FindingLines
from envdoctor.cli.progress import ProgressDisplay
from envdoctor.model.finding import BASELINED, ENVIRONMENT, ERROR, NOTE, Finding, Location, Remedy
from envdoctor.model.report import Report
from envdoctor.reporters._lines import Line
from tests.reporters.sample import HOSTILE

ENVS = Path(__file__).parents[1] / "envs"
ZOO = ENVS / "cls003_second_close_raises.py"
SIZE = ("COLUMNS", "LINES")  # they come before what the terminal says of itself


def finding(message: str = "1 is left", **fields: object) -> Finding:
    place = {"subject": "arm.py:Arm", "manager": "direct", "blame": ENVIRONMENT}
    location = Location(f"{os.getcwd()}/arm.py", 41)
    return Finding(
        **{
            "code": "CLS006",
            "name": "x",
            "severity": ERROR,
            "message": message,
            "remedy": Remedy(""),
            "location": location,
            **place,
            **fields,
        }
    )


def said(*batches: Iterable[Finding], named: bool = False, settle: object = None) -> list[str]:
    lines: list[Line] = []
    listener = FindingLines(lines.append, settle or (lambda report: report), named)  # type: ignore[arg-type]
    for batch in batches:
        listener.final(batch)
    return ["".join(text for text, _ in line.pieces) for line in lines]


def test_a_line_has_severity_code_place_and_message() -> None:
    assert said([finding()]) == ["error CLS006 arm.py:41: 1 is left"]
    assert said([finding(location=None)]) == ["error CLS006: 1 is left"]


def test_a_line_names_the_manager_and_the_subject_where_there_are_several() -> None:
    place = {"manager": "gymnasium-async", "start_method": "spawn", "location": None}
    (line,) = said([finding(**place)], named=True)
    assert line == "error CLS006 arm.py:Arm: 1 is left [gymnasium-async, spawn]"


def test_finding_of_several_managers_is_printed_once() -> None:
    assert len(said([finding()], [finding(manager="gymnasium-sync")])) == 1
    assert len(said([finding()], [finding("2 are left", manager="gymnasium-sync")])) == 1
    assert len(said([finding()], [finding("2 are left", key=("other",))])) == 2


def test_the_worst_comes_first() -> None:
    lines = said([finding("b", severity=NOTE), finding("a")], settle=worst_first)
    assert [line.split()[0] for line in lines] == ["error", "note"]


def worst_first(report: Report) -> Report:
    return replace(report, findings=tuple(sorted(report.findings, key=lambda one: one.severity)))


def test_finding_in_the_baseline_is_not_printed() -> None:
    known = lambda report: replace(  # noqa: E731
        report, findings=tuple(each.but(status=BASELINED) for each in report.findings)
    )
    assert said([finding()], settle=known) == []


def test_the_home_directory_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ana")
    (line,) = said([finding(location=Location("/home/ana/arm.py", 41))])
    assert line == "error CLS006 ~/arm.py:41: 1 is left"


class Screen(StringIO):
    """A terminal that keeps what is written to it."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def shown(text: str, monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    """Return the text that a terminal gets for one finding."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-256color", **environment}.items():
        monkeypatch.setenv(name, value)
    screen = Screen()
    with ProgressDisplay(screen) as progress:
        FindingLines(progress.tell, lambda report: report).final([finding(text)])
    return next(row for row in screen.getvalue().splitlines() if "CLS006" in row)


def test_a_long_path_in_another_folder_leaves_room_for_the_message() -> None:
    path = f"/opt/{'deep/' * 12}envs/arm.py"
    assert said([finding(location=Location(path, 41))]) == [
        "error CLS006 .../envs/arm.py:41: 1 is left"
    ]


def test_severity_has_a_colour_unless_no_color_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    coloured = re.compile(r"\x1b\[[\d;]*3\d")
    assert coloured.search(shown("1 is left", monkeypatch))
    assert not coloured.search(shown("1 is left", monkeypatch, NO_COLOR="1"))


def test_a_narrow_terminal_gets_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    row = plain(shown("word " * 60, monkeypatch, COLUMNS="40"))
    line = row[row.index("error") :]
    assert len(line) <= 40
    assert line.endswith("…")


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:20]))
def test_no_text_acts_on_the_terminal(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row = plain(shown(text, monkeypatch, COLUMNS="400"))
    assert "\x1b" not in row
    assert all(character.isprintable() for character in row.strip("\r"))


def plain(text: str) -> str:
    """Text without the sequences that move the cursor or colour it."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def all_of(terminal: int) -> bytes:
    """Return the text that is written to a terminal until its other end is closed. A terminal has
    room for 4 KiB: a program that writes more waits for a reader, and on a busy machine there is
    more progress to show.
    """
    heard = b""
    with open(terminal, "rb", buffering=0) as file, contextlib.suppress(OSError):
        while part := file.read(65536):
            heard += part
    return heard


def examined(
    *words: str, stdout: bool = False, environment: Mapping[str, str] | None = None
) -> tuple[str, str, int]:
    """Return the text that a terminal of 200 columns gets from a command, the text of its stdout
    where that is not the terminal (`stdout`), and the exit code.
    """
    inherited = {key: value for key, value in os.environ.items() if key not in SIZE}
    reads, writes = pty.openpty()
    fcntl.ioctl(writes, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    with ThreadPoolExecutor(1) as pool:
        hearing = pool.submit(all_of, reads)
        try:
            done = subprocess.run(
                [sys.executable, "-m", "envdoctor", *words],
                stdin=subprocess.DEVNULL,
                stdout=writes if stdout else subprocess.PIPE,
                stderr=writes,
                text=True,
                timeout=600,
                check=False,
                env={**inherited, "TERM": "xterm", **(environment or {})},
            )
        finally:
            os.close(writes)
        heard = hearing.result(timeout=600)
    return plain(heard.decode(errors="replace")), done.stdout or "", done.returncode


SICK = ("check", f"{ZOO}:Sick", "--managers", "direct", "--select", "CLS003", "--no-try-remedies")
LINE = re.compile(r"warning CLS003 \S*cls003_second_close_raises\.py:\d+: a second close\(\)")


@pytest.mark.always
def test_a_finding_is_on_the_terminal_while_scenarios_are_played() -> None:
    heard, stdout, code = examined(*SICK)
    assert code == 0  # it is a warning
    assert len(LINE.findall(heard)) == 1
    assert LINE.search(heard).start() < heard.rindex("[direct]")  # type: ignore[union-attr]
    assert stdout.count("warning CLS003") == 1
    assert "once it is fixed" not in stdout


def test_the_last_lines_of_a_terminal_are_the_findings_and_the_next_command() -> None:
    heard, _, _ = examined(*SICK, stdout=True)
    rows = [row.strip() for row in heard.replace("\r", "\n").splitlines() if row.strip()]
    command = " ".join(SICK).replace(f"{os.getcwd()}/", "")
    assert rows[-1] == f"once it is fixed  envdoctor {command}"
    assert rows[-2] == "to understand it  envdoctor explain CLS003"
    assert LINE.match(rows[-3])
    assert rows[-4].startswith("failed: 1 warning in")


def test_quiet_says_nothing_on_the_way() -> None:
    heard, stdout, _ = examined(*SICK, "-q")
    assert heard == ""
    assert stdout.count("warning CLS003") == 1


@pytest.mark.everything
def test_an_anonymous_run_says_nothing_on_the_way() -> None:
    heard, _, _ = examined(*SICK, "--anonymous")
    assert "CLS003" not in heard


@pytest.mark.everything
def test_environments_side_by_side_are_named() -> None:
    healthy = f"{ZOO}:Healthy"
    heard, _, _ = examined(*SICK[:2], healthy, *SICK[2:], "--jobs", "2")
    (row,) = [row for row in re.split(r"[\r\n]+", heard) if "warning CLS003" in row]
    assert "cls003_second_close_raises.py:Sick " in row


def test_a_pipe_hears_nothing() -> None:
    command = subprocess.run(
        [sys.executable, "-m", "envdoctor", *SICK],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
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
