"""Subjects of a sweep: keys, lines of files, shares."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envdoctor.errors import UsageError
from envdoctor.sweep.plans import (
    Examination,
    Identity,
    PlanEntry,
    Where,
    distinct,
    parse_entries,
    parse_place,
    share,
)

IDENTITY = Identity("Crane-v0", {"size": 3}, {"seed": 0}, "/usr/bin/python", "abc", "Linux")


def test_a_key_is_that_of_its_values_in_any_order() -> None:
    one, other = (replace(IDENTITY, options=dict(pairs)) for pairs in (ORDER, ORDER[::-1]))
    assert one.key == other.key
    assert len(one.key) == 24


ORDER = [("seed", 0), ("timeout", 30.0)]


@pytest.mark.parametrize(
    "change",
    [
        {"spec": "Belt-v0"},
        {"arguments": {"size": 4}},
        {"options": {"seed": 1}},
        {"interpreter": "/opt/python"},
        {"versions": "abd"},
        {"machine": "Darwin"},
    ],
)
def test_every_part_of_an_identity_is_in_its_key(change: dict[str, object]) -> None:
    assert replace(IDENTITY, **change).key != IDENTITY.key  # type: ignore[arg-type]


def test_a_label_is_the_same_in_another_checkout() -> None:
    here = Identity("/home/ana/lab/crane.py:Crane", {"size": 3, "name": "a b"})
    there = Identity("/srv/ci/crane.py:Crane", {"name": "a b", "size": 3})
    assert here.label == there.label == 'crane.py:Crane name="a b" size=3'


def test_lines_of_a_file() -> None:
    text = "# all cranes\nCrane-v0\n\nCrane-v0 -k size=3 -k 'name=\"a b\"'  # large\nBelt-v0 --import lab\n"
    assert parse_entries(text, "specs.txt") == (
        PlanEntry("Crane-v0"),
        PlanEntry("Crane-v0", ("size=3", 'name="a b"')),
        PlanEntry("Belt-v0", (), ("lab",)),
    )


def test_actions_of_a_line() -> None:
    text = "Crane-v0 --action '\"lift\"'\nBelt-v0 --actions lab:moves\n"
    lift, moves = parse_entries(text, "specs.txt")
    assert lift == PlanEntry("Crane-v0", action='"lift"')
    assert moves == PlanEntry("Belt-v0", actions="lab:moves")
    assert (lift.words, lift.options) == ((), ("--action", '"lift"'))


@pytest.mark.parametrize(
    "line",
    [
        "Crane-v0 -k",
        "Crane-v0 --seed 3",
        "Crane-v0 --action 1 --action 2",
        "Crane-v0 size=3",
        "'Crane",
    ],
)
def test_a_line_that_is_not_understood_names_its_place(line: str) -> None:
    with pytest.raises(UsageError, match=r"^specs\.txt:2: "):
        parse_entries(f"Belt-v0\n{line}\n", "specs.txt")


def test_words_of_a_line() -> None:
    assert PlanEntry("Crane-v0", ("size=3",), ("lab",)).words == ("-k", "size=3", "--import", "lab")


def _examination(entry: PlanEntry) -> Examination:
    return Examination(Identity(entry.spec, options={"words": entry.options}), (), "")


@pytest.mark.parametrize(
    ("entries", "labels"),
    [
        (
            [PlanEntry("/lab/a/crane.py:Crane"), PlanEntry("/lab/b/crane.py:Crane")],
            ["a/crane.py:Crane", "b/crane.py:Crane"],
        ),
        (
            [PlanEntry("Belt-v0", action="1"), PlanEntry("Belt-v0", imports=("lab",))],
            ["Belt-v0 --action 1", "Belt-v0 --import lab"],
        ),
        (
            [PlanEntry("crane.py:Crane"), PlanEntry("/lab/crane.py:Crane")],
            ["crane.py:Crane", "/lab/crane.py:Crane"],
        ),
        ([PlanEntry("/lab/a/crane.py:Crane"), PlanEntry("Belt-v0")], ["crane.py:Crane", "Belt-v0"]),
    ],
)
def test_two_of_a_sweep_have_two_names(entries: list[PlanEntry], labels: list[str]) -> None:
    alone = [_examination(entry) for entry in entries]
    several = distinct(list(zip(alone, entries, strict=True)))
    assert [each.identity.label for each in several] == labels
    assert [each.key for each in several] == [each.key for each in alone]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("local", Where()),
        ("shard:2/8", Where((2, 8))),
        ("ray", Where(ray="")),
        ("ray:head:6379", Where(ray="head:6379")),
        ("ray:[::1]:6379", Where(ray="[::1]:6379")),
        ("ray:auto", Where(ray="auto")),
    ],
)
def test_a_place(text: str, where: Where) -> None:
    assert parse_place(text) == where


@pytest.mark.parametrize(
    "text", ["shard:0/3", "shard:4/3", "shard:1", "rays", "ray:", "ray:head", "", "shard:a/b"]
)
def test_a_place_that_there_is_not(text: str) -> None:
    with pytest.raises(UsageError, match="expected local, a share such as shard:2/8, ray, or"):
        parse_place(text)


@pytest.mark.parametrize("text", ["ray://head:10001", "ray:ray://head:10001"])
def test_a_server_of_ray_client_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="Ray Client is not supported; name the head"):
        parse_place(text)


@given(st.integers(0, 30), st.integers(1, 9))
def test_shares_are_all_of_it_and_none_twice(number: int, shares: int) -> None:
    every = tuple(Examination(Identity(f"E{each}"), (), "") for each in range(number))
    found = [
        one
        for each in range(1, shares + 1)
        for one in share(every, *parse_place(f"shard:{each}/{shares}").share)
    ]
    assert sorted(one.key for one in found) == sorted(one.key for one in every)
