"""Samples of matrices: the same for everybody, of each kind, and named by what was drawn."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.support.sampling import SEED, WHOLE, draw, lines, split

NAMES = [f"case-{number}" for number in range(40)]


class Item:
    """As much of a test as is asked for; `marked` is what has the mark: the test, or its file."""

    def __init__(self, name: str, mark: pytest.MarkDecorator | None = None, **params: str) -> None:
        self.nodeid = f"tests/test_x.py::{name}"
        self.mark = mark.mark if mark else None
        self.callspec = SimpleNamespace(params=params)
        self.user_properties: list[tuple[str, object]] = []

    def get_closest_marker(self, _name: str) -> pytest.Mark | None:
        return self.mark

    def iter_markers_with_node(self, _name: str) -> list[tuple[object, pytest.Mark | None]]:
        return [(self, self.mark)]


def played(*items: Item) -> list[str]:
    kept, left_out = split(cast(Any, items), SEED)
    assert len(kept) + len(left_out) == len(items)
    return [item.nodeid.removeprefix("tests/test_x.py::") for item in kept]


def report(item: Item) -> pytest.TestReport:
    return cast(Any, SimpleNamespace(nodeid=item.nodeid, user_properties=item.user_properties))


def test_a_draw_depends_on_the_seed_and_the_names_alone() -> None:
    assert draw(NAMES, 8, 1) == draw(reversed(NAMES), 8, 1) != draw(NAMES, 8, 2)
    assert len(set(draw(NAMES, 8, 1))) == 8
    assert set(draw(NAMES, 99, 1)) == set(NAMES)


def test_a_new_case_takes_the_place_of_one_other_at_most() -> None:
    for new in ("one more", "another", "a third"):
        assert len(set(draw(NAMES, 8, 1)) - set(draw([*NAMES, new], 8, 1))) <= 1


def test_what_has_no_mark_is_always_played_and_what_is_whole_never() -> None:
    some = [Item(f"few[{name}]", pytest.mark.sampled(3)) for name in NAMES]
    names = played(Item("always"), *some, Item("long", WHOLE))
    assert names[0] == "always"
    assert len(names) == 4
    assert "long" not in names


def test_one_of_each_kind() -> None:
    mark = pytest.mark.sampled(1, by="kind")
    names = played(
        *(Item(f"t[{kind}-{name}]", mark, kind=kind) for name in NAMES for kind in "abc")
    )
    assert sorted(name[2] for name in names) == ["a", "b", "c"]


def test_tests_that_are_alike_are_one_matrix_and_others_are_not() -> None:
    alike = pytest.mark.sampled(1, of="launches")
    assert len(played(*(Item(name, alike) for name in ("one", "two", "three")))) == 1
    apart = pytest.mark.sampled(1)
    assert len(played(*(Item(name, apart) for name in ("one", "two", "three")))) == 3


@pytest.mark.parametrize("mark", [pytest.mark.sampled(), pytest.mark.sampled("4")])
def test_a_mark_without_a_number_is_a_usage_error(mark: pytest.MarkDecorator) -> None:
    with pytest.raises(pytest.UsageError, match=r"test_x.py::few: .* expected sampled\(4\)"):
        played(Item("few", mark))


def test_what_was_drawn_is_printed() -> None:
    items = [Item(f"few[{name}]", pytest.mark.sampled(1)) for name in "ab"]
    (kept,), _ = split(cast(Any, items), SEED)
    shown = list(lines([report(cast(Any, kept)), report(cast(Any, kept)), report(Item("always"))]))
    assert shown == ["tests/test_x.py::few, 1 of 2:", f"    {kept.nodeid}"]
