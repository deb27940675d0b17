"""The figures of `make house` only go down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from tests.project.house import (
    TITLES,
    Source,
    any_types,
    banned_names,
    codes,
    double_classes,
    file_circles,
    frameworks,
    is_banned,
    key_reads,
    limits,
    places,
    questions,
    scenario_names,
    sources,
    two_way_pairs,
)


@cache
def counted() -> dict[str, list[str]]:
    """Places of each figure. They are not counted while tests are collected, which every worker
    does.
    """
    return places()


@pytest.mark.parametrize("name", TITLES)
def test_figure_is_not_higher_than_before(name: str) -> None:
    """A lower one is kept by `python -m tests.project.house --write`."""
    assert len(counted()[name]) <= limits()[name], "\n".join(counted()[name][-20:])


def test_every_figure_has_a_limit() -> None:
    assert list(limits()) == list(TITLES)


def test_packages_of_the_probe_and_files_import_each_other_one_way() -> None:
    everything = sources()
    assert two_way_pairs(everything) == []
    assert file_circles(everything) == []


def test_code_outside_plan_does_not_branch_on_names_of_scenarios() -> None:
    assert [place for source in sources() for place in scenario_names(source)] == []


@pytest.mark.parametrize(
    ("count", "text", "number"),
    [
        (codes, 'if finding.code == "CLS006" or "use API012 and ASY003" in text: pass', 3),
        (codes, '"""CLS006 in words."""', 0),
        (codes, 'CODE = "XYZ999"', 0),
        (codes, 'EXAMPLES = ("CLS006",)', 1),
        (scenario_names, 'played.scenario.name == "life" and scenario.name in NAMES', 2),
        (scenario_names, 'self.scenario.name.startswith("leak")', 1),
        (scenario_names, "trace.scenario.name == name", 0),
        (frameworks, 'CLASSES = {"sb3-dummy": 1}\nimport torchrl', 1),
        (frameworks, '"""TorchRL in words."""  # and gymnasium\nwondering = 1', 0),
        (frameworks, "EXAMPLES = ('ding',)", 1),
        (banned_names, "found = 1\nfor one, _told in x: self.seen = y\ndef f(given): pass", 5),
        (banned_names, "one_line = foundation = f(found=1)\nprint(told)", 0),
        (banned_names, "def lives_of(x): pass\nclass WishList: pass", 2),
        (questions, 'def f():\n    """Whether it is."""\ndef g():\n    """Return it."""', 1),
        (any_types, "from typing import Any\ndef f(x: Any) -> 'int': return typing.Any", 2),
        (key_reads, 'x["a"], x.get("b"), x.get(c), x[0]', 2),
    ],
)
def test_places_are_counted(
    count: Callable[[Source], Iterator[str]], text: str, number: int
) -> None:
    assert len(list(count(Source("rules/engine/some.py", text)))) == number


def test_code_in_the_rules_own_file_is_not_counted() -> None:
    own, other = "rules/close/cls006_close_leaves_descriptors.py", "rules/close/cls007_x.py"
    assert list(codes(Source(own, 'CODE = "CLS006"'))) == []
    assert list(codes(Source(other, 'CODE = "CLS006"'))) == [f"{other}:1: CLS006"]


def test_class_that_two_files_define_is_counted_once() -> None:
    text = "class Side: pass\nclass Other: pass\nclass Other: pass"
    both = [Source("a.py", text), Source("b.py", "class Side: pass")]
    assert double_classes(both) == ["Side: a.py, b.py"]


def test_name_is_banned_by_itself_or_by_a_part() -> None:
    assert all(map(is_banned, ("one", "_found", "Told", "told_by", "NotTold", "LIVES")))
    assert not any(map(is_banned, ("one_line", "founder", "alive", "tell")))
