"""The tester of mutants tells faults that tests notice from those that they do not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

MODULE = """\
def decorated(function):
    return function


@decorated
def total(numbers, start=0):
    for number in numbers:
        start += number
    return start


def countdown(number):
    while number:
        number -= 1
    return number


class Box:
    def size(self):
        return 3


def never_called(a):
    return a + 1
"""

TESTS = """\
import subprocess

from toy.sums import Box, countdown, total


def test_total():
    assert total([1, 2]) == 3


def test_countdown():
    assert countdown(1) == 0


def test_size_is_not_looked_at():
    Box().size()


def test_that_starts_a_process_kills_nothing():
    subprocess.run(["true"])
    raise AssertionError
"""


@pytest.fixture(autouse=True)
def in_a_folder_with_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("toy").mkdir()
    Path("toy/sums.py").write_text(MODULE)
    Path("test_sums.py").write_text(TESTS)
    Path("reasons.toml").write_text("")


def draw(number: int, seed: int) -> list[Any]:
    """So many mutants of the package. Its libraries are imported where a test needs them: each
    worker of the tests collects this file.
    """
    from tests.mutants import drawing

    return drawing.draw(list(drawing.functions(Path("toy/sums.py"), "toy")), number, seed)


def all_mutants() -> dict[str, str]:
    """{the fault: the name of the mutant}"""
    drawn = draw(100, 1)
    return {
        f"{mutant.function.qualname}: {mutant.before} -> {mutant.after}": mutant.name
        for mutant in drawn
    }


def try_all() -> subprocess.CompletedProcess[str]:
    options = "--packages toy --tests test_sums.py --reasons reasons.toml --cpu-seconds 0.5"
    return subprocess.run(
        [sys.executable, "-m", "tests.mutants", *options.split()],
        env={"PYTHONPATH": f"{ROOT}:."},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_faults_that_tests_notice_are_killed_and_the_others_survive() -> None:
    names = all_mutants()
    size, start = names["Box.size: 3 -> 4"], names["total: 0 -> 1"]
    Path("reasons.toml").write_text(f'"{size}" = "not used"\n"{start}" = "killed all the same"\n')
    ended = try_all()
    assert re.findall(r"^survived: (\S+) ", ended.stdout, re.MULTILINE) == [
        "toy/sums.py::never_called"
    ]
    assert f"has a reason, and is not a survivor: {start}" in ended.stdout
    assert f"all           {len(names) - 2} of    {len(names)} killed" in ended.stdout
    assert "fewer than 95 % are killed" in ended.stdout
    assert ended.returncode == 1


def test_draw_follows_from_the_seed() -> None:
    first, again, other = ([mutant.name for mutant in draw(5, seed)] for seed in (1, 1, 2))
    assert first == again != other


def test_edit_of_a_function_changes_no_mutant_of_another() -> None:
    before = set(all_mutants().values())
    Path("toy/sums.py").write_text("import os\n\n" + MODULE.replace("start += number", "pass"))
    after = set(all_mutants().values())
    assert before - after
    assert all("::total " in name for name in before ^ after)


def test_mutant_that_no_live_function_gets_is_an_error() -> None:
    """It would be said to survive. Case: objects that the collector was told to pass over."""
    from tests.mutants.swapping import Live

    with pytest.raises(LookupError, match=r"no live function is toy/sums\.py::"):
        Live().swap(draw(1, 1)[0])
