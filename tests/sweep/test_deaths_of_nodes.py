"""Draws of `python -m tests.sweep.deaths_of_nodes`, and results that it calls wrong. One round for
real is in test_ray_cluster.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from envdoctor.model.report import HEALTHY, INCONCLUSIVE, SICK
from tests.sweep.deaths_of_nodes import DRIVER, MINE, ORDERS, compare, draw, left, write_specs
from tests.sweep.place import Place


def test_the_driver_and_one_node_die_in_each_round_while_there_is_something_left_to_do() -> None:
    rounds = [draw(number, 40, seed=0) for number in range(20)]
    assert len({each[0] for each in rounds}) == 20
    for first, second in rounds:
        assert first.results <= second.results < 40
        assert DRIVER in (first.who, second.who)
        assert {first.who, second.who} & set(ORDERS)
    assert {one.who for each in rounds for one in each} == {DRIVER, *ORDERS}
    assert draw(3, 40, seed=0) == rounds[3]


def test_each_environment_has_its_line_and_what_it_comes_to(tmp_path: Path) -> None:
    place = Place(tmp_path)
    expected = write_specs(place, 40)
    lines = (tmp_path / "specs.txt").read_text().splitlines()
    assert len(lines) == len(expected) == 40
    assert expected[MINE] == INCONCLUSIVE
    assert sorted(set(expected.values())) == sorted((HEALTHY, INCONCLUSIVE, SICK))
    assert sum(" sick=true" in line for line in lines) == list(expected.values()).count(SICK)


GOOD = [("a", HEALTHY, ""), ("b", SICK, "")]


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        (GOOD, []),
        (GOOD[:1], ["no result: b"]),
        ([*GOOD, GOOD[0]], ["2 results: a"]),
        (
            [("a", INCONCLUSIVE, "the node was lost 11 times"), GOOD[1]],
            ["a: inconclusive (the node was lost 11 times) instead of healthy"],
        ),
    ],
)
def test_missing_repeated_and_wrong_results_are_named(
    found: list[tuple[str, str, str]], wrong: list[str]
) -> None:
    assert list(compare({"a": HEALTHY, "b": SICK}, found)) == wrong


def test_leftovers_of_a_sweep_are_named(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for kind in ("work", "claims"):
        (place.out / kind).mkdir(parents=True)
    (place.out / "claims" / ".lock").touch()
    assert left(place) == []
    (place.tmp / "envdoctor-1").mkdir()
    (place.out / "claims" / "k.json").touch()
    assert left(place) == ["directory envdoctor-1", "claims k.json"]
