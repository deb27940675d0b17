"""The JSON document: the contract's keys, by schema and by value."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from syrupy.assertion import SnapshotAssertion

from envdoctor.analysis.growth.verdicts import FILLING, FLAT, LEAK, OPEN
from envdoctor.model.finding import SEVERITIES
from envdoctor.model.report import SICK
from envdoctor.model.trace import OUTCOMES
from envdoctor.reporters.json_v1 import plain, render, schema
from tests.reporters.reports import ALL, finding, native, report, sick, storages
from tests.reporters.test_terminal import hostile

SCHEMA = json.loads(schema())
VALIDATOR = Draft202012Validator(SCHEMA)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", ALL)
def test_documents_obey_the_schema(name: str) -> None:
    VALIDATOR.validate(json.loads(render(ALL[name])))


def test_document(snapshot: SnapshotAssertion) -> None:
    assert render(sick) == snapshot


def test_growth_is_in_the_document(snapshot: SnapshotAssertion) -> None:
    assert json.loads(render(native))["subjects"][0]["growth"] == snapshot


def test_storages_are_in_the_document(snapshot: SnapshotAssertion) -> None:
    assert json.loads(render(storages))["subjects"][0]["storages"][:1] == snapshot


def test_the_schema_knows_every_word_of_the_model() -> None:
    assert SCHEMA["$defs"]["growth"]["properties"]["meters"]["items"]["properties"]["verdict"][
        "enum"
    ] == [FLAT, LEAK, FILLING, OPEN]
    assert SCHEMA["$defs"]["finding"]["properties"]["severity"]["enum"] == list(SEVERITIES)
    assert SCHEMA["$defs"]["scenario"]["properties"]["outcome"]["enum"] == list(OUTCOMES)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("severity", "fatal"),
        ("code", "CLS6"),
        ("blame", "nobody"),
        ("status", "closed"),
        ("confidence", "sure"),
        ("location", {}),
        ("evidence", []),
    ],
)
def test_the_schema_refuses(key: str, value: Any) -> None:
    document = json.loads(render(sick))
    document["findings"][0][key] = value
    assert not VALIDATOR.is_valid(document)


def test_the_schema_lets_the_document_grow() -> None:
    document = json.loads(render(sick))
    document["later"] = document["findings"][0]["later"] = document["summary"]["later"] = 1
    VALIDATOR.validate(document)


class Mute:
    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (math.nan, None),
        (-math.inf, None),
        (1.5, 1.5),
        (True, True),
        (b"a\xff", "a\\xff"),
        ({2, 1}, ["1", "2"]),
        ((1, 2), [1, 2]),
        ({1: {None: 2}}, {"1": {"None": 2}}),
        (Mute(), "<Mute that cannot be shown>"),
        (1j, "1j"),
    ],
)
def test_odd_values_become_plain(value: Any, shown: Any) -> None:
    assert plain(value) == shown


def test_cycles_end() -> None:
    endless: dict[str, Any] = {}
    endless["again"] = endless
    document = json.loads(render(report(finding(evidence=endless), verdict=SICK)))
    told, depth = document["findings"][0]["evidence"], 0
    while isinstance(told, dict):
        assert list(told) == ["again"]
        told, depth = told["again"], depth + 1
    assert 1 < depth < 100
    assert "..." in told  # where it was cut off


def test_equal_reports_give_equal_text() -> None:
    one, other = ({"a": 1, "b": {"c": 1, "d": 2}}, {"b": {"d": 2, "c": 1}, "a": 1})
    assert render(report(finding(evidence=one))) == render(report(finding(evidence=other)))


odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.binary()
    | st.complex_numbers(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(st.characters()) | st.integers(), inner)
        | st.tuples(inner)
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), odd, max_size=4))
def test_any_evidence_is_strict_json(evidence: dict[str, Any]) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    text = render(report(finding(evidence=evidence), verdict=SICK))
    VALIDATOR.validate(json.loads(text, parse_constant=refuse))


@given(st.text(st.characters(), max_size=80))
def test_no_text_acts_on_the_terminal(text: str) -> None:
    shown = render(hostile(text))
    assert all(" " <= character <= "~" or character == "\n" for character in shown)
    assert json.loads(shown)["findings"][0]["message"] == text
