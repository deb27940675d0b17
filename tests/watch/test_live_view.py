"""The last rows of a terminal belong to the view, all others to the training."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from pathlib import Path

import pytest

from envdoctor.cli.footer import Footer
from envdoctor.cli.watching import display
from envdoctor.errors import UsageError
from tests.support.zoo import COMMAND
from tests.watch.test_watch_command import PATIENCE, variables

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watch needs Linux")

#: What the view writes: rows that it takes, and then itself, between a saved cursor and its return.
DRAWN = re.compile(rb"(?:\x1bD)*(?:\x1b\[\d+A)?\x1b7.*?\x1b8", re.DOTALL)


@pytest.fixture
def terminal():
    ours, theirs = pty.openpty()
    resize(ours, 24, 80)
    yield ours, theirs
    os.close(ours)
    os.close(theirs)


def resize(descriptor: int, rows: int, columns: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def written(descriptor: int) -> bytes:
    found = b""
    while select.select([descriptor], [], [], 0)[0]:
        found += os.read(descriptor, 1 << 16)
    return found


def test_rows_are_reserved_once_and_given_back(terminal) -> None:
    ours, theirs = terminal
    footer = Footer(theirs)
    assert footer.room == (79, 12)
    footer.draw(["one", "two"])
    first = written(ours)
    assert first.startswith(b"\x1bD\x1bD\x1b[2A\x1b7\x1b[1;22r\x1b[23;1H\x1b[2Kone")
    footer.draw(["three"])
    assert written(ours) == b"\x1b7\x1b[1;22r\x1b[23;1H\x1b[2Kthree\x1b[24;1H\x1b[2K\x1b8"
    resize(ours, 30, 80)
    footer.draw(["four"])
    assert b"\x1b[1;29r" in written(ours)
    footer.clear()
    assert written(ours) == b"\x1b7\x1b[r\x1b[30;1H\x1b[J\x1b8"
    footer.clear()
    assert written(ours) == b""


def test_a_small_terminal_has_no_room(terminal) -> None:
    ours, theirs = terminal
    resize(ours, 8, 80)
    assert Footer(theirs).room == (0, 0)


def test_a_stopped_terminal_holds_nothing_up(terminal) -> None:
    ours, theirs = terminal
    footer = Footer(theirs)
    rows = [f"{'*' * 70} {number}" for number in range(1000)]
    footer.draw(rows)  # more than a terminal that is not read takes
    footer.draw(["dropped"])
    found, deadline = b"", time.monotonic() + PATIENCE
    while b"999\x1b8" not in found:
        assert time.monotonic() < deadline
        found += written(ours)
        footer._is_free()
    assert b"dropped" not in found
    assert found.count(b"*") == 70 * len(rows)


TRAINING = """
import arms, pathlib, sys, time
arms.play(1, 3)
for number in range(40):
    print(f"\\r\\x1b[32m{number} %\\x1b[0m |{'#' * number}|", end="", file=sys.stderr, flush=True)
    if number % 9 == 0:
        print("line", number, "\\ttab")
print("partial", end="", flush=True)
while not pathlib.Path(sys.argv[1]).exists(): time.sleep(0.02)
print(" whole")
"""


def alone(tmp_path: Path, *words: str) -> bytes:
    """Return the text that the training writes to a terminal, watched or not, until it is over."""
    go = tmp_path / "go"
    code = [*words, sys.executable, "-c", TRAINING, str(go)]
    pid, ours = pty.fork()
    if not pid:
        os.execve(code[0], code, {**variables(), "TERM": "xterm-256color"})
    resize(ours, 24, 80)
    found, deadline = b"", time.monotonic() + PATIENCE
    try:
        while time.monotonic() < deadline:
            if (b"3 steps" in found if words else b"partial" in found) and not go.exists():
                go.touch()
            if select.select([ours], [], [], 0.1)[0]:
                found += os.read(ours, 1 << 16)
    except OSError:  # the last one that had the terminal has ended
        pass
    finally:
        os.close(ours)
        os.waitpid(pid, 0)
        go.unlink()
    return found


def test_the_view_changes_no_byte_of_the_trainings(tmp_path: Path) -> None:
    expected = alone(tmp_path)
    watched = alone(tmp_path, str(COMMAND), "watch", "--every", "0.2")
    assert b"1 instance made, 0 open; 1 reset, 3 steps" in watched
    rest = DRAWN.sub(b"", watched)
    assert rest.startswith(expected)
    assert b"1 instance made, in 1 process" in rest[len(expected) :]
    assert DRAWN.findall(watched)[-1].startswith(b"\x1b7\x1b[r")


@pytest.mark.parametrize("wish", ["soon", "0.01", "-1s", "2 days"])
def test_a_duration_that_cannot_be_read(wish: str) -> None:
    with pytest.raises(UsageError, match=f"invalid --every '{wish}': expected"):
        display(wish)


@pytest.mark.parametrize(("wish", "seconds"), [("30s", 30), ("2m", 120), ("0", 0), ("0.3", 0.3)])
def test_durations_have_a_unit_or_are_seconds(wish: str, seconds: float) -> None:
    assert display(wish).every == seconds
