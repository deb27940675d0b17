"""Ceilings of memory and time: what is said, what it means, and who meets them, for real."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from envdoctor.errors import UsageError
from envdoctor.model.subject import FILE, Subject
from envdoctor.request.choices import seconds, size
from envdoctor.request.request import Request
from envdoctor.run.examine import _limits
from tests.support.zoo import examine

EATER = """
class Eater:
    kept = []

    def reset(self, seed=None):
        return 0, {}

    def step(self, action):
        self.kept.append(bytearray(b"x") * 20_000_000)
        return 0, 0.0, False, False, {}
"""


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (None, 0),
        ("64M", 64 << 20),
        ("4G", 4 << 30),
        ("4g", 4 << 30),
        (" 1.5 GiB ", 3 << 29),
        ("2TB", 2 << 40),
        ("102400k", 100 << 20),
    ],
)
def test_sizes(text: str | None, number: int) -> None:
    assert size("--memory-limit", text) == number


@pytest.mark.parametrize(
    "text",
    ["", "4", "G", "-1G", "4GG", "1e9", "inf", "nan", "0G", "10M", "٤G", "4\nG;", "9" * 400 + "G"],
)
def test_size_without_unit_or_out_of_range_is_rejected(text: str) -> None:
    with pytest.raises(UsageError, match=r"--memory-limit .*G"):
        size("--memory-limit", text)


@pytest.mark.parametrize("number", [float("inf"), float("nan"), 0.0, -1.0, 1e9])
def test_seconds_must_be_positive_and_bounded(number: float) -> None:
    with pytest.raises(UsageError, match="number of seconds"):
        seconds("--timeout", number)


def test_parallel_jobs_share_the_memory_limit() -> None:
    subjects = tuple(Subject(name, FILE) for name in "abcd")
    alone, four, two = (_limits(Request(subjects, jobs=jobs)) for jobs in (1, 8, 2))
    assert alone.memory > 1.5 * two.memory > 2.5 * four.memory > 0
    assert alone.room == pytest.approx(four.room, rel=0.5)
    assert _limits(replace(Request(subjects, jobs=4), memory=7)).memory == 7


@pytest.mark.everything(but=["leak"])
@pytest.mark.parametrize("command", ["check", "leak"])
def test_memory_limit_is_named_in_the_finding(tmp_path: Path, command: str) -> None:
    (tmp_path / "eater.py").write_text(EATER)
    exit_code, document = examine(
        "eater.py", "--memory-limit", "300M", cwd=tmp_path, command=command
    )
    # One for each place that met it.
    errors = [finding for finding in document["findings"] if finding["severity"] == "error"]
    assert (exit_code, {finding["code"] for finding in errors}) == (1, {"PRC003"})
    told = re.compile(
        r"ran out of memory in .*: it held [\d.]+ MiB, and the ceiling is 300\.0 MiB \(--memory-limit\)"
    )
    assert all(told.search(finding["message"]) for finding in errors)
