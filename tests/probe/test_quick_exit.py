"""Processes that leave without freeing what libraries have, and those that have something open."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0  # seconds

#: A program of two finalizers: one that a handler of atexit calls, one of a global.
PROGRAM = """
import atexit, os, sys
from envdoctor.probe.quick_exit import QuickExit
leaving = QuickExit()
from envdoctor.probe.sensors import Context, Sensors

class Log:
    def __init__(self):
        self.out = os.write
    def __del__(self):
        self.out(1, b"finalized ")

log = Log()
atexit.register(os.write, 1, b"handler ")
leaving.begin(Sensors(Context(os.getcwd())))
{between}
leaving.expect({expected})
print("last words", end=" ")
"""


def printed(between: str, expected: bool, home: Path) -> str:
    """Run the program, and return what it printed."""
    (home / "tmp").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(between=between, expected=expected)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(home / "tmp"),
        },
        cwd=home,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("between", "expected", "finalized"),
    [
        ("", True, False),
        ("", False, True),
        ("os.open(os.devnull, os.O_RDONLY)", True, True),
        ("open(os.path.join(os.environ['TMPDIR'], 'log'), 'w').close()", True, True),
        ("import subprocess; child = subprocess.Popen(['sleep', '5'])", True, True),
        ("sys.stdout = None", True, True),
    ],
)
def test_only_a_process_with_nothing_open_leaves_at_once(
    between: str, expected: bool, finalized: bool, tmp_path: Path
) -> None:
    text = printed(between, expected, tmp_path)
    assert ("finalized" in text) is finalized
    assert "handler" in text
    assert ("last words" in text) is ("stdout = None" not in between)


def test_a_child_that_the_subject_forks_leaves_as_it_does(tmp_path: Path) -> None:
    text = printed("leaving.expect(True)\nif os.fork(): os.wait()", True, tmp_path)
    assert text.count("handler") == 2
    assert text.count("finalized") == 1


def test_handler_is_there_before_those_of_the_standard_library() -> None:
    code = "import sys, envdoctor.probe.main, envdoctor.probe.quick_exit; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={"PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert not {"multiprocessing.util", "logging", "weakref"} & set(done.stdout.split())


def test_names_that_are_watched_are_of_sensors() -> None:
    from envdoctor.probe.quick_exit import WATCHED
    from envdoctor.probe.sensors import sensors

    assert set(WATCHED) <= {sensor.NAME for sensor in sensors()}
