"""Tests of processes that passed with the sources of today, which `make test` need not play again.

`make processes` plays all tests, and writes tests/settled.json: the tests that took most of the time
and passed, with a digest of what they run. `make test` leaves these out as long as the digest is the
same, and says how many they are; after a change of the probe, the supervision, the commands, the
locked packages or the Python it plays them. Rules, remedies and reports are in the digest of the
files that name them alone: recordings and tests by values judge those each time. What is marked
`always` is played in any case.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import pytest

MARK = "always"
ROOT = Path(__file__).parents[2]
FILE = "tests/settled.json"

#: Seconds of a CPU that a test and its processes, in all of its cases, take at least.
COSTLY = 0.2

#: Recordings and tests by values judge what is here.
PURE = ("analysis", "discovery", "remedies", "reporters", "rules", "verdict")

#: Whatever the tests of a folder read besides.
ALSO = {
    "tests": ("tests/plugin_example",),
    "tests/mutants": ("envdoctor",),
    "tests/project": (
        "envdoctor",
        "README.md",
        "CONTRIBUTING.md",
        "action.yml",
        "docs",
        "examples",
    ),
}

#: Folders of what tests examine, of which a test names the files that it needs.
EXAMINED = ("tests/envs", "tests/programs")

#: The seconds that a test took, with what it shares with others, in the properties of its last report.
SECONDS = "seconds of a CPU"

#: The seconds that fixtures of a file or a folder took, by where they are and their names.
SHARED: dict[tuple[str, str], float] = {}


class Tests(TypedDict):
    """A file of tests: the digest with which it passed, and the costly ones among its functions."""

    digest: str
    functions: dict[str, int]


class Settled(TypedDict):
    """The contents of tests/settled.json; `functions` are numbers of cases."""

    sources: str
    files: dict[str, Tests]


@dataclass
class Outcome:
    """A function of tests, over all of its cases."""

    seconds: float = 0.0
    cases: int = 0
    settles: bool = True


class Settling:
    """A plugin of pytest that writes what a run settles, if it is played to its end."""

    def __init__(self, config: pytest.Config, root: Path = ROOT) -> None:
        """Raises UsageError for a run of some cases: they would stand for their whole function."""
        some = [argument for argument in config.args if "::" in argument]
        if some or config.option.keyword or config.option.markexpr or config.option.changed:
            raise pytest.UsageError("--settle takes whole files: no ::name, -k, -m or --changed")
        self.root = root
        self.sources = sources(root)
        self.outcomes: dict[tuple[str, str], Outcome] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a report of set-up, call or teardown."""
        file, _, name = report.nodeid.partition("::")
        outcome = self.outcomes.setdefault((file, name.partition("[")[0]), Outcome())
        outcome.settles &= report.passed and MARK not in report.keywords
        outcome.cases += report.when == "call"
        properties = dict(report.user_properties) if report.when == "teardown" else {}
        outcome.seconds += float(str(properties.get(SECONDS, 0.0)))

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write tests/settled.json, of what passed. Files that were not played keep what was written
        of them.
        """
        is_over = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if not is_over or self.sources != sources(self.root):  # or they were changed meanwhile
            return
        kept = read(self.root)
        files = kept["files"] if kept["sources"] == self.sources else {}
        for file, functions in self._costly().items():
            files.pop(file, None)
            if functions:
                files[file] = {"digest": digest(file, self.root), "functions": functions}
        new: Settled = {"sources": self.sources, "files": dict(sorted(files.items()))}
        text = json.dumps(new, indent=1) + "\n"
        (self.root / FILE).write_text(text, encoding="utf-8")

    def _costly(self) -> dict[str, dict[str, int]]:
        """The costly functions of each file, with the number of their cases."""
        files: dict[str, dict[str, int]] = {}
        for (file, function), outcome in sorted(self.outcomes.items()):
            cases = files.setdefault(file, {})
            if outcome.settles and outcome.seconds >= COSTLY:
                cases[function] = outcome.cases
        return files


def sources(root: Path = ROOT) -> str:
    """A digest of what processes of the product run, and of the Python that does."""
    package = root / "envdoctor"
    files = [
        path
        for path in package.rglob("*")
        if path.relative_to(package).parts[0] not in PURE and _is_source(path)
    ]
    locked = [root / "requirements-dev.txt", *(root / "tests" / "interpreters").glob("*.txt")]
    helpers = [root / "tests" / "conftest.py", *(root / "tests" / "support").glob("*.py")]
    python = f"{sys.version_info[:2]} {sys.platform}"
    return _digest([*files, *locked, *helpers], root, python)


def digest(file: str, root: Path = ROOT) -> str:
    """A digest of a file of tests, and of what lies beside it or is named in it."""
    path = root / file
    text = path.read_text(encoding="utf-8")
    beside = [other for other in path.parent.glob("*.py") if not other.name.startswith("test_")]
    pure = (f"envdoctor/{name}" for name in PURE if f"envdoctor.{name}" in text)
    also = [root / name for name in (*ALSO.get(str(Path(file).parent), ()), *pure)]
    read = [other for name in also for other in ([name] if name.is_file() else name.rglob("*"))]
    words = set(re.findall(r"\w+", text))
    examined = (other for folder in EXAMINED for other in (root / folder).glob("*.py"))
    named = [other for other in examined if other.stem in words]
    return _digest([path, *beside, *named, *filter(_is_source, read)], root)


def _is_source(path: Path) -> bool:
    return "__pycache__" not in path.parts and path.is_file()


def _digest(files: Iterable[Path], root: Path, start: str = "") -> str:
    total = hashlib.sha256(start.encode())
    for path in sorted(set(files)):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        total.update(f"{path.relative_to(root).as_posix()} {content}\n".encode())
    return total.hexdigest()[:16]


def read(root: Path = ROOT) -> Settled:
    """The contents of tests/settled.json; nothing settled where there is none."""
    path = root / FILE
    if not path.exists():
        return {"sources": "", "files": {}}
    settled: Settled = json.loads(path.read_text(encoding="utf-8"))
    return settled


def settled_tests(root: Path = ROOT) -> dict[str, dict[str, int]]:
    """The functions that need not be played, by file, with the number of their cases."""
    settled = read(root)
    if settled["sources"] != sources(root):
        return {}
    return {
        file: tests["functions"]
        for file, tests in settled["files"].items()
        if (root / file).exists() and tests["digest"] == digest(file, root)
    }


def split(
    items: Sequence[pytest.Item], settled: Mapping[str, Mapping[str, int]]
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests to play and those left out, each in their order."""
    play: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        file, _, name = item.nodeid.partition("::")
        known = name.partition("[")[0] in settled.get(file, {})
        (left if known and item.get_closest_marker(MARK) is None else play).append(item)
    return play, left


def lines(
    settled: Mapping[str, Mapping[str, int]], asked: Iterable[str] = (), ignored: Iterable[str] = ()
) -> Iterator[str]:
    """Say how many tests were left out of the folders asked for, and which command plays them."""
    inside = [ROOT / name for name in asked or [""]]
    outside = [ROOT / name for name in ignored]
    cases = sum(
        sum(functions.values())
        for file, functions in settled.items()
        if any((ROOT / file).is_relative_to(folder) for folder in inside)
        and not any((ROOT / file).is_relative_to(folder) for folder in outside)
    )
    if cases:
        yield (
            f"not played: {cases} tests, which passed with the sources of today"
            " (tests/settled.json): make processes"
        )


def seconds() -> float:
    """Seconds of a CPU that this process took, and its children that have ended."""
    times = os.times()
    return sum(times[:4])


def seconds_shared(item: pytest.Item) -> float:
    """Seconds that the shared fixtures of a test took, whichever test was the first to use them."""
    names = getattr(item, "fixturenames", ())
    return sum(
        shared
        for (base, name), shared in SHARED.items()
        if name in names and item.nodeid.startswith(base)
    )
