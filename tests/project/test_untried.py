"""Skipped tests are summed up in the last lines, with the command that enables them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interpreters import GPU, NAMES, way_to
from tests.support.untried import TROUBLES, lines

TESTS = Path(__file__).parents[1]
DING, RAY = way_to("ENVDOCTOR_DING_PYTHON"), way_to("ENVDOCTOR_RAY_PYTHON")
MAKE = "make interpreters && make test"
MAKE_NAMED = "make interpreters FRAMEWORKS=.interpreters/NAME/.ready"
FOUR = "not tried: the four troubles with their frameworks"


@pytest.mark.parametrize(
    ("skipped", "expected"),
    [
        ([], []),
        (
            [(f"{TROUBLES}::test_one", DING), (f"{TROUBLES}::test_two", DING), ("x", DING)],
            [
                f"{FOUR} (2 tests) and 1 other test: {MAKE}",
            ],
        ),
        ([("x", DING)], [f"not tried: 1 test: {MAKE}"]),
        (
            [("x", RAY), ("y", way_to("ENVDOCTOR_AGILERL_PYTHON")), ("z", RAY)],
            [
                f"not tried: agilerl (1 test), ray (2 tests): {MAKE_NAMED}",
            ],
        ),
        (
            [("x", "there is no C compiler"), ("y", way_to(GPU)), ("z", way_to(GPU)), ("t", DING)],
            [
                f"skipped: {way_to(GPU)} (2 tests); there is no C compiler (1 test)",
                f"not tried: 1 test: {MAKE}",
            ],
        ),
        (
            [(reason, reason) for reason in "aaabbcdef"],
            [
                "skipped: a (3 tests); b (2 tests); c (1 test); d (1 test); others (2 tests)",
            ],
        ),
    ],
)
def test_skips_are_counted_by_their_remedy(
    skipped: list[tuple[str, str]], expected: list[str]
) -> None:
    assert list(lines(skipped)) == expected


#: What a copy of the tests needs for the four troubles.
COPIED = ("__init__.py", "conftest.py", "gpu", "interpreters", "support", TROUBLES[6:])


def test_last_line_names_the_command_where_there_is_no_interpreter(tmp_path: Path) -> None:
    (tmp_path / TROUBLES).parent.mkdir(parents=True)
    for name in COPIED:
        copy = shutil.copytree if (TESTS / name).is_dir() else shutil.copy
        copy(TESTS / name, tmp_path / "tests" / name)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", TROUBLES],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name not in NAMES},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == f"{FOUR} (8 tests): {MAKE}"
