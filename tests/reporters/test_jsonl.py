"""JSON lines: every line by its schema, and together the document."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from syrupy.assertion import SnapshotAssertion

from envdoctor.reporters import json_v1
from envdoctor.reporters.jsonl import LISTS, RUN, render, schema
from tests.reporters.reports import ALL
from tests.reporters.sample import SAMPLE, hostile, with_any_text

VALIDATOR = Draft202012Validator(json.loads(schema()))


def lines(text: str) -> list[dict[str, Any]]:
    read = [json.loads(line) for line in text.split("\n")[:-1]]
    assert text.endswith("\n")
    for line in read:
        VALIDATOR.validate(line)
    return read


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(json.loads(schema()))


@pytest.mark.parametrize("name", ALL)
def test_lines_make_the_document(name: str) -> None:
    first, *rest, last = lines(render(ALL[name]))
    document = {key: first[key] for key in RUN}
    for kind, key in LISTS.items():
        document[key] = [
            {name: value for name, value in line.items() if name != "type"}
            for line in rest
            if line["type"] == kind
        ]
    document["summary"] = {key: value for key, value in last.items() if key != "type"}
    assert document == json.loads(json_v1.render(ALL[name]))


def test_document(snapshot: SnapshotAssertion) -> None:
    assert render(SAMPLE) == snapshot


@pytest.mark.parametrize(
    "line",
    [
        {"type": "other"},
        {},
        {"type": "finding"},
        {"type": "summary", "verdict": "well"},
        {"type": "run", "version": 2},
    ],
    ids=json.dumps,
)
def test_the_schema_refuses(line: dict[str, Any]) -> None:
    assert not VALIDATOR.is_valid(line)


@with_any_text
def test_any_text(text: str) -> None:
    document = render(hostile(text))
    assert re.fullmatch(r"[ -~\n]*", document)
    assert "##[" not in document
    assert [line["message"] for line in lines(document) if line["type"] == "finding"] == [text] * 4
