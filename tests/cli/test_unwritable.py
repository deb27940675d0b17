"""Outputs that cannot be written whole, and files whose end never comes: one sentence, no
traceback, and an exit code that is not success.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")
TEXTS = (["--version"], ["--help"], ["check", "--help"], ["rules"], ["explain", "CLS001"])


def run(words: list[str], stdout: int) -> tuple[int, str]:
    """(exit code, stderr) of the command."""
    done = subprocess.run(
        [str(Path(sys.executable).with_name("envdoctor")), *words],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=600,
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.skipif(not FULL.is_char_device(), reason="this system has no full device")
@pytest.mark.parametrize("words", TEXTS)
def test_text_that_finds_no_space_is_an_error(words: list[str]) -> None:
    with FULL.open("wb") as full:
        exit_code, stderr = run(words, full.fileno())
    assert exit_code == 70
    assert stderr.startswith("envdoctor: no space is left on the device for the report")
    assert stderr.count("\n") == 1


@pytest.mark.parametrize("words", TEXTS)
def test_reader_that_went_away_is_no_error(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert run(words, writer) == (0, "")
    finally:
        os.close(writer)


@pytest.mark.parametrize(
    "words",
    [
        ["check", "CartPole-v1", "--baseline", "/dev/zero"],
        ["check", "CartPole-v1", "--config", "/dev/zero"],
        ["sweep", "--file", "/dev/zero"],
    ],
)
def test_file_without_an_end_is_refused(words: list[str]) -> None:
    exit_code, stderr = run(words, subprocess.DEVNULL)
    assert (exit_code, stderr.count("\n")) == (2, 1)
    assert stderr.endswith("/dev/zero: it is too large\n")
