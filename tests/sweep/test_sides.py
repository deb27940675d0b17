"""The sides of a comparison, and their table: values only."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from envdoctor.errors import UsageError
from envdoctor.model.finding import Location
from envdoctor.model.report import INCONCLUSIVE
from envdoctor.sweep.matrix import Column, Matrix, matrix_text, table
from envdoctor.sweep.sides import MAX_SIDES, ComparedSide, combinations, package_of
from envdoctor.sweep.venvs import cache_folder, why
from tests.sweep.samples import finding, result


@pytest.mark.parametrize(
    ("words", "sides"),
    [
        (["a==1", "a==2"], [("a==1",), ("a==2",)]),
        (["a==1", "b<2", "a==2"], [("a==1", "b<2"), ("a==2", "b<2")]),
        (["A_b==1", "a.b==2", "A_b==1"], [("A_b==1",), ("a.b==2",)]),
    ],
)
def test_versions_of_one_package_are_alternatives(
    words: list[str], sides: list[tuple[str, ...]]
) -> None:
    assert list(combinations(words)) == sides


@pytest.mark.parametrize(
    "word", ["gymnasium[mujoco]==1.2.0", "gymnasium ~= 1.2", "gymnasium @ file:///a.whl"]
)
def test_a_requirement_names_a_package(word: str) -> None:
    assert package_of(word) == "gymnasium"


@pytest.mark.parametrize("word", ["gymnasium", "--index-url=x", "-r a.txt", "==1", "", "a=="])
def test_other_words_are_not_requirements_with_a_version(word: str) -> None:
    with pytest.raises(UsageError, match=r"such as numpy==2\.4\.6"):
        package_of(word)


def test_a_matrix_is_not_larger_than_a_person_reads() -> None:
    with pytest.raises(UsageError, match="combinations"):
        combinations([f"a=={number}" for number in range(MAX_SIDES + 1)])


def test_class_outside_the_commit_is_not_judged(tmp_path: Path) -> None:
    tree, commit = tmp_path / "tree", tmp_path / "commit"
    side = ComparedSide("v1", tree=os.path.realpath(tree), commit=os.path.realpath(commit))
    places = {name: str(folder / "arm.py") for name, folder in vars_of(tree, commit).items()}
    seen = {
        name: result(finding(), judged={"source": Location(path, 1, "Arm")})
        for name, path in places.items()
    }
    assert side.settled(seen["commit"]) == seen["commit"]
    assert side.settled(seen["installed"]) == seen["installed"]
    assert side.settled(seen["environment"]) == seen["environment"]
    assert side.settled(seen["vendored"]) == seen["vendored"]
    assert {name: side.is_outside(seen[name]) for name in seen} == {
        "tree": False,
        "commit": False,
        "installed": True,
        "environment": True,
        "vendored": False,
    }
    wrong = side.settled(seen["tree"])
    assert (wrong.findings, wrong.judged.verdict) == ((), INCONCLUSIVE)
    assert wrong.reason == f"its class was found in {places['tree']}, which is not of the commit v1"


def vars_of(tree: Path, commit: Path) -> dict[str, Path]:
    return {
        "tree": tree,
        "commit": commit,
        "installed": Path("/usr/lib/python3"),
        "environment": tree / ".venv" / "lib" / "python3.12" / "site-packages",
        "vendored": commit / "site-packages" / "arm",
    }


def test_a_repository_that_is_itself_below_site_packages(tmp_path: Path) -> None:
    tree = os.path.realpath(tmp_path / "site-packages" / "lab")
    side = ComparedSide("v1", tree=tree, commit=os.path.realpath(tmp_path / "commit"))
    seen = result(judged={"source": Location(f"{tree}/arm.py", 1, "Arm")})
    assert side.settled(seen).judged.verdict == INCONCLUSIVE


def test_a_table_has_a_row_for_what_is_not_everywhere_the_same() -> None:
    known, other = finding(), finding("AAA002", message="step() takes long", severity="warning")
    columns = [
        Column("a==1", (result(known, finding("AAA003")), result(spec="Belt-v0"))),
        Column("a==2", (result(finding("AAA003")),)),
        Column("a==3", (result(known, other, finding("AAA003"), passed=()),)),
        Column("a==4", (result(finding("AAA003"), passed=("AAA001",)),)),
        Column("a==9", reason="no version is called 9"),
    ]
    assert table(columns, 120, unicode=False).splitlines() == [
        "                                           a==1           a==2     a==3                 a==4",
        "Crane-v0                                   2 errors       1 error  2 errors, 1 warning  1 error",
        "  AAA001 close() leaves 1 descriptor open  error          -        error                -",
        "  AAA002 step() takes long                 -              -        warning              ?",
        "Belt-v0                                    nothing found",
        "",
        "- not found, ? not judged",
    ]


def test_a_side_that_is_missing_is_named_and_a_terminal_is_not_written_to() -> None:
    columns = (Column("a==1", (result(),)), Column("a==9", reason="no \x1b[2Jversion"))
    shown = matrix_text(Matrix(columns, ()), 80, unicode=False)
    assert "a==9 could not be examined: no \\x1b[2Jversion" in shown
    assert shown.endswith("          a==1\nCrane-v0  nothing found\n")


NO_VERSION = """\
ERROR: Could not find a version that satisfies x==9 (from versions: 1, 2)
ERROR: No matching distribution found for x==9
"""
CONFLICT = """\
ERROR: Cannot install x==1 and y==2 because they conflict.

ERROR: ResolutionImpossible: for help visit https://pip.pypa.io
"""
OF_UV = """\
  \xd7 No solution found when resolving dependencies:
  \u2570\u2500\u25b6 Because there is no version of x==9 and you
      require x==9, you lose.
"""


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (NO_VERSION, "No matching distribution found for x==9"),
        (CONFLICT, "Cannot install x==1 and y==2 because they conflict."),
        (OF_UV, "Because there is no version of x==9 and you require x==9, you lose."),
        ("error: no space left\n", "no space left"),
        ("", "the installer gave no reason"),
    ],
)
def test_the_reason_is_the_installers(said: str, reason: str) -> None:
    assert why(said) == reason


def test_the_cache_is_where_the_user_keeps_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/c")
    assert cache_folder() == Path("/c/envdoctor/venvs")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder().is_relative_to(Path.home())
