"""Tests that only `make everything` plays: a mark leaves them out, a name plays them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from tests.support.everything import MARK, split


class Item:
    """As much of a test as is asked for."""

    def __init__(self, name: str, mark: pytest.MarkDecorator | None = None) -> None:
        self.nodeid = f"tests/test_arm.py::{name}"
        self.mark = mark.mark if mark else None

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        assert name == MARK
        return self.mark


def names(items: Sequence[Item], *named: str) -> tuple[list[str], list[str]]:
    """The names of what is played and of what is left out."""
    selected, left = split(cast("list[Any]", items), named)
    shown: Callable[[Any], str] = lambda item: item.nodeid.partition("::")[2]  # noqa: E731
    return [*map(shown, selected)], [*map(shown, left)]


MATRIX = pytest.mark.everything(but=["fork"])


def test_a_test_without_the_mark_is_played_and_one_with_it_is_left_out() -> None:
    assert names([Item("plain"), Item("long", pytest.mark.everything)]) == (["plain"], ["long"])


def test_of_a_matrix_the_named_cases_are_played() -> None:
    cases = [Item(f"ends[{case}]", MATRIX) for case in ("fork", "fork-2", "forkserver", "spawn")]
    assert names(cases) == (["ends[fork]", "ends[fork-2]"], ["ends[forkserver]", "ends[spawn]"])


@pytest.mark.parametrize("argument", ["ends", "ends[spawn]"])
def test_a_test_that_the_command_line_names_is_played(argument: str) -> None:
    case = Item("ends[spawn]", MATRIX)
    assert names([case], f"tests/test_arm.py::{argument}") == (["ends[spawn]"], [])
    assert names([case, Item("ends[fork]", MATRIX)], "tests/test_arm.py::begins")[1] == [
        "ends[spawn]"
    ]


def test_an_exception_that_names_no_case_is_a_usage_error() -> None:
    with pytest.raises(pytest.UsageError, match=r"names no case of .*::ends: fork$"):
        names([Item("ends[spawn]", MATRIX)])


def test_two_test_files_of_one_name_lie_in_packages() -> None:
    """Pytest imports a file of no package by its name alone, and stops at the second."""
    files = [path for path in Path("tests").rglob("test_*.py") if path.is_file()]
    alone = Counter(path.name for path in files if not (path.parent / "__init__.py").exists())
    assert [name for name, times in alone.items() if times > 1] == []
