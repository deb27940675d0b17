"""Tests that passed with the sources of today: which are written down, and which are left out."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.support import settled
from tests.support.settled import MARK, SECONDS, Settling

FILE = "tests/watch/test_arm.py"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with a rule, a sensor, an environment, and a file of tests that names it."""
    for name, text in {
        "envdoctor/rules/close.py": "CODE = 'CLS001'",
        "envdoctor/probe/sensors.py": "NAME = 'files'",
        "requirements-dev.txt": "pytest==9.0.0",
        "tests/conftest.py": "",
        "tests/envs/arm.py": "LENGTH = 1",
        "tests/envs/other.py": "LENGTH = 2",
        "tests/watch/helper.py": "LIMIT = 60",
        FILE: "ENV = 'arm.py'",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def config(*args: str, keyword: str = "", changed: bool = False) -> pytest.Config:
    option = SimpleNamespace(keyword=keyword, markexpr="", changed=changed)
    return cast("pytest.Config", SimpleNamespace(args=args, option=option))


def play(tree: Path, *reports: Any, exitstatus: int = 0) -> dict[str, dict[str, int]]:
    """The settled tests after a run with these reports."""
    settling = Settling(config(), tree)
    for report in reports:
        settling.pytest_runtest_logreport(report)
    settling.pytest_sessionfinish(exitstatus)
    return settled.settled_tests(tree)


def reports(name: str, seconds: float = 1.0, outcome: str = "passed", *marks: str) -> list[Any]:
    """The three reports of a test whose processes took so long."""
    return [
        SimpleNamespace(
            nodeid=f"{FILE}::{name}",
            when=when,
            passed=outcome == "passed" or when != "call",
            keywords=dict.fromkeys(marks, 1),
            user_properties=[(SECONDS, seconds)] if when == "teardown" else [],
        )
        for when in ("setup", "call", "teardown")
    ]


class Item:
    def __init__(self, name: str, *marks: str) -> None:
        self.nodeid, self.marks = f"{FILE}::{name}", marks

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None


def left(tree: Path, *items: Item) -> list[str]:
    _, out = settled.split(cast("list[pytest.Item]", items), settled.settled_tests(tree))
    return [item.nodeid.partition("::")[2] for item in out]


def test_costly_tests_that_passed_are_settled_with_the_number_of_their_cases(tree: Path) -> None:
    half = settled.COSTLY / 2
    cases = [*reports("test_a[1]", half), *reports("test_a[2]", half), *reports("test_cheap", half)]
    assert play(tree, *cases) == {FILE: {"test_a": 2}}
    assert left(tree, Item("test_a[1]"), Item("test_b"), Item("test_a", MARK)) == ["test_a[1]"]


@pytest.mark.parametrize("outcome", ["failed", "skipped"])
def test_case_that_did_not_pass_keeps_its_function_unsettled(tree: Path, outcome: str) -> None:
    cases = [*reports("test_a[1]"), *reports("test_a[2]", outcome=outcome)]
    assert play(tree, *cases, *reports("test_b")) == {FILE: {"test_b": 1}}


def test_marked_test_is_not_settled(tree: Path) -> None:
    assert play(tree, *reports("test_a", 1.0, "passed", MARK)) == {}


def test_failure_leaves_the_other_functions_settled(tree: Path) -> None:
    cases = [*reports("test_a"), *reports("test_b", outcome="failed")]
    assert play(tree, *cases, exitstatus=1) == {FILE: {"test_a": 1}}


def test_run_that_was_interrupted_settles_nothing(tree: Path) -> None:
    assert play(tree, *reports("test_a"), exitstatus=2) == {}


@pytest.mark.parametrize(
    "name",
    ["envdoctor/probe/sensors.py", "requirements-dev.txt", "tests/conftest.py"],
)
def test_changed_source_unsettles_all(tree: Path, name: str) -> None:
    assert play(tree, *reports("test_a"))
    (tree / name).write_text("CHANGED = True")
    assert settled.settled_tests(tree) == {}


@pytest.mark.parametrize("name", [FILE, "tests/envs/arm.py", "tests/watch/helper.py"])
def test_changed_file_unsettles_the_tests_that_use_it(tree: Path, name: str) -> None:
    assert play(tree, *reports("test_a"))
    (tree / name).write_text("CHANGED = 'arm.py'")
    assert settled.settled_tests(tree) == {}


@pytest.mark.parametrize("name", ["envdoctor/rules/close.py", "tests/envs/other.py"])
def test_rules_and_environments_of_other_tests_unsettle_nothing(tree: Path, name: str) -> None:
    before = play(tree, *reports("test_a"))
    (tree / name).write_text("CHANGED = True")
    assert settled.settled_tests(tree) == before != {}


def test_rules_that_a_file_imports_unsettle_it(tree: Path) -> None:
    (tree / FILE).write_text("from envdoctor.rules import close")
    assert play(tree, *reports("test_a"))
    (tree / "envdoctor/rules/close.py").write_text("CHANGED = True")
    assert settled.settled_tests(tree) == {}


def test_shared_fixture_counts_for_each_test_that_uses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = {("tests/watch", "arm"): 2.0, ("tests/probe", "arm"): 4.0, ("tests/watch", "leg"): 8.0}
    monkeypatch.setattr(settled, "SHARED", shared)
    user = SimpleNamespace(nodeid=f"{FILE}::test_a", fixturenames=["arm"])
    assert settled.seconds_shared(cast("pytest.Item", user)) == 2.0


def test_source_that_changes_during_the_run_settles_nothing(tree: Path) -> None:
    settling = Settling(config(), tree)
    (tree / "envdoctor/probe/sensors.py").write_text("CHANGED = True")
    settling.pytest_sessionfinish(0)
    assert not (tree / settled.FILE).exists()


def test_compiled_files_are_not_sources(tree: Path) -> None:
    settling = Settling(config(), tree)
    for report in reports("test_a"):
        settling.pytest_runtest_logreport(report)
    for name in ("envdoctor/__pycache__/bundle.pyz", "envdoctor/probe/__pycache__/sensors.pyc"):
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text("")
    settling.pytest_sessionfinish(0)
    assert settled.settled_tests(tree) == {FILE: {"test_a": 1}}


def test_files_that_were_not_played_stay_settled(tree: Path) -> None:
    play(tree, *reports("test_a"))
    path = tree / settled.FILE
    written = json.loads(path.read_text())
    written["files"]["tests/watch/test_other.py"] = {"digest": "0", "functions": {"test_c": 3}}
    path.write_text(json.dumps(written))
    assert play(tree, *reports("test_b")) == {FILE: {"test_b": 1}}
    assert "tests/watch/test_other.py" in json.loads(path.read_text())["files"]


@pytest.mark.parametrize(
    "some",
    [config(f"{FILE}::test_a"), config(keyword="arm"), config(changed=True)],
    ids=["node", "keyword", "changed"],
)
def test_run_of_some_cases_is_a_usage_error(some: pytest.Config) -> None:
    with pytest.raises(pytest.UsageError, match="whole files"):
        Settling(some)


def test_number_of_cases_that_are_left_out_is_printed_with_the_command() -> None:
    (line,) = settled.lines({FILE: {"test_a": 2, "test_b": 1}})
    assert line.startswith("not played: 3 tests, which passed")
    assert line.endswith(": make processes")
    assert [*settled.lines({})] == []


def test_number_is_of_the_folders_that_the_run_asked_for() -> None:
    both = {FILE: {"test_a": 2}, "tests/probe/heap/test_b.py": {"test_b": 5}}
    (line,) = settled.lines(both, ["tests"], ["tests/probe/heap"])
    assert line.startswith("not played: 2 tests,")
    (line,) = settled.lines(both, ["tests/probe/heap"])
    assert line.startswith("not played: 5 tests,")
