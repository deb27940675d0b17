"""Facts of a journal as dataclasses: what is decoded, what is refused, what is ignored."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envdoctor.model.facts import (
    FACTS,
    Allocations,
    GrowingLine,
    GrownCache,
    GrownHolder,
    Suspects,
    as_json,
    fits,
)
from envdoctor.model.facts.decoding import decoded
from envdoctor.rules.engine.examples import fact, trace
from envdoctor.run.supervise.journal_reader import decode
from envdoctor.saved import lines_v1

KINDS = sorted(FACTS.values(), key=lambda kind: kind.KEY)
FRAMES = [
    {"file": "<unknown>", "line": 0, "function": "operator new(unsigned long)"},
    {"file": "/home/me/sick.py", "line": 31, "function": "reset"},
]
RECORD = {
    "count": 202,
    "bytes": 58176,
    "per_cycle": 2.0,
    "allocator": "MALLOC",
    "frames": FRAMES,
    "user": 1,
}
ALLOCATIONS = {
    "cycles": 101,
    "operation": "reset",
    "native": False,
    "mode": "aggregated",
    "records": [RECORD],
    "file": None,
}
HOLDER = {
    "type": "list",
    "chain": "sick.SEEN",
    "grew": 7,
    "unbounded": True,
    "overhead": 9.0,
    "element": "int",
    "handle": "",
    "instance": False,
    "beside": "",
    "lines": [{"file": "sick.py", "line": 3, "function": "step", "text": "SEEN.append(1)"}],
}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.lists(ANYTHING, min_size=4, max_size=16), st.integers(0, 1 << 32))
def test_any_value_is_decoded_or_refused(values: list[Any], seed: int) -> None:
    """By each kind: most of the time goes into making the values."""
    chance = Random(seed)
    for kind in KINDS:
        names = [str(each.metadata.get("key", each.name)) for each in fields(kind)]  # type: ignore[arg-type]
        some = chance.sample(names, chance.randint(0, len(names)))
        value = {name: chance.choice(values) for name in some}
        for candidate in (value, chance.choice(values)):
            try:
                found = kind.decode(candidate)
            except ValueError as error:
                assert str(error)
                assert not fits(kind.KEY, candidate), kind
            else:
                assert isinstance(found, kind)
                assert fits(kind.KEY, candidate), kind


def test_each_kind_has_its_own_key() -> None:
    assert all(FACTS[kind.KEY] is kind and kind.KEY for kind in KINDS)


@pytest.mark.parametrize(
    ("kind", "value"), [(GrownHolder, HOLDER), (GrownHolder, {"type": "a.B", "chain": "c"})]
)
def test_decoded_value_is_written_as_it_was(kind: type[Any], value: dict[str, Any]) -> None:
    (found,) = Suspects.decode({"holders": [value]}).holders
    assert isinstance(found, kind)
    assert json.dumps(as_json(found)) == json.dumps(value)


def test_allocations_are_written_as_they_were() -> None:
    assert json.dumps(Allocations.decode(ALLOCATIONS).as_json()) == json.dumps(ALLOCATIONS)
    assert Allocations.decode({"missing": "no memray"}).as_json() == {"missing": "no memray"}


def test_missing_or_null_key_is_the_default_and_unknown_keys_are_ignored() -> None:
    assert Suspects.decode({"cycles": 7, "types": None, "of_tomorrow": [1]}) == Suspects(7)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (None, "expected an object, got NoneType"),
        ({"cycles": "7"}, "cycles of Suspects: expected a whole number, got str"),
        ({"cycles": True}, "cycles of Suspects: expected a whole number, got bool"),
        ({"types": {}}, "types of Suspects: expected an array, got dict"),
        ({"types": [{"type": "a.B"}]}, "types of Suspects: GrownType has no key 'grew'"),
        (
            {"caches": [{"what": "a", "size": 1, "grew": 1, "cleared": False}]},
            "caches of Suspects: GrownCache has no key 'maxsize'",
        ),
        (
            {"holders": [{"type": "a.B", "chain": "c", "overhead": float("nan")}]},
            "holders of Suspects: overhead of GrownHolder: expected a number, got float",
        ),
    ],
)
def test_misfit_is_refused_with_its_place(value: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        Suspects.decode(value)
    assert str(refused.value) == sentence


def test_a_frame_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="expected the index of a frame, got 2"):
        Allocations.decode({"records": [{**RECORD, "user": 2}]})


def test_nested_values() -> None:
    found = Suspects.decode(
        {
            "holders": [HOLDER],
            "caches": [{"what": "f", "size": 3, "maxsize": None, "grew": 3, "cleared": False}],
        }
    )
    assert found.holders[0].lines == (GrowingLine("sick.py", 3, "step", "SEEN.append(1)"),)
    assert found.caches == (GrownCache("f", 3, None, 3, False),)


def test_a_trace_decodes_a_fact_once() -> None:
    played = trace(fact("suspects", {"cycles": 3}), fact("suspects", {"cycles": 7}))
    assert [found.cycles for found in played.facts(Suspects)] == [3, 7]
    assert played.fact(Suspects) is played.fact(Suspects)
    assert played.fact("suspects") == {"cycles": 7}
    assert played.fact(Allocations) is None


def test_a_fact_that_cannot_be_decoded_is_not_heard_and_not_read_from_a_saved_run() -> None:
    bad = {"event": "fact", "t": 1.0, "pid": 7, "key": "suspects", "value": {"cycles": "x"}}
    good = {**bad, "value": {"cycles": 7}}
    assert decode(json.dumps(bad).encode()) is None
    assert decode(json.dumps(good).encode()) == good
    line = lines_v1.line_of(json.loads(json.dumps(lines_v1.trace("spec", trace(bad, good)))))
    assert isinstance(line, lines_v1.TraceLine)
    kept = line.value
    assert kept.facts(Suspects) == (Suspects(7),)


@dataclass(frozen=True)
class Anything:
    value: object = None
    values: tuple[Any, ...] = ()


def test_field_without_a_type_of_its_own_holds_any_value() -> None:
    data = {"value": {"a": [1, None]}, "values": [2, "x", {}]}
    assert decoded(Anything, data) == Anything({"a": [1, None]}, (2, "x", {}))
