"""GitLab's code quality report: its keys, what it takes for one finding, and where findings
stand.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from syrupy.assertion import SnapshotAssertion

from envdoctor.model.finding import Location
from envdoctor.reporters.gitlab import render
from tests.reporters.official import json_schema
from tests.reporters.reports import ALL, FILE, finding, report
from tests.reporters.sample import ROOT, SAMPLE, hostile, with_any_text

#: As GitLab documents it.
ENTRY = {
    "type": "object",
    "required": ["description", "check_name", "fingerprint", "severity", "location"],
    "additionalProperties": False,
    "properties": {
        "description": {"type": "string", "minLength": 1},
        "check_name": {"type": "string"},
        "fingerprint": {"type": "string", "pattern": "^[0-9a-f]+(-[0-9]+)?$"},
        "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
        "content": {
            "type": "object",
            "required": ["body"],
            "additionalProperties": False,
            "properties": {"body": {"type": "string", "pattern": "```\n"}},
        },
        "location": {
            "type": "object",
            "required": ["path", "lines"],
            "properties": {
                "path": {"type": "string", "pattern": "^[^/.]"},
                "lines": {
                    "type": "object",
                    "required": ["begin"],
                    "properties": {"begin": {"type": "integer", "minimum": 1}},
                },
            },
        },
    },
}
VALIDATOR = Draft202012Validator({"type": "array", "items": ENTRY})


def entries(text: str) -> Any:
    read = json.loads(text)
    VALIDATOR.validate(read)
    prints = [entry["fingerprint"] for entry in read]
    assert len(set(prints)) == len(prints), "GitLab drops what it has seen"
    return read


@pytest.mark.parametrize("name", ALL)
def test_lists_obey_the_schema(name: str) -> None:
    entries(render(ALL[name], root=ROOT))


@pytest.mark.parametrize("name", [*ALL, "sample"])
def test_entries_obey_the_schema_of_gitlab(name: str) -> None:
    for entry in json.loads(render({**ALL, "sample": SAMPLE}[name], root=ROOT)):
        json_schema("codeclimate.json").validate(entry)


def test_document(snapshot: SnapshotAssertion) -> None:
    assert render(SAMPLE, root=ROOT) == snapshot


def test_verified_code_is_in_the_body_and_other_entries_have_none() -> None:
    code = ("    def close(self):", "        self.log.close()", "        # ```")
    first = SAMPLE.findings[0]
    cured = first.but(remedy=replace(first.remedy, commands=code, verified=True))
    unsure = cured.but(remedy=replace(cured.remedy, verified=False))
    bodies = [
        entry.get("content", {}).get("body", "")
        for finding in (cured, unsure)
        for entry in entries(render(replace(SAMPLE, findings=(finding,)), root=ROOT))
    ]
    assert bodies[1:] == [""]
    assert bodies[0].endswith("\n\n````\n" + "\n".join(code) + "\n````\n")


def test_only_open_findings_are_reported() -> None:
    assert [entry["check_name"] for entry in entries(render(SAMPLE, root=ROOT))] == [
        "CLS006",
        "CLS004",
        "LEK005",
        "PRC002",
        "MAK002",
    ]


def test_the_same_words_at_two_lines_are_two() -> None:
    twice = [finding(location=Location(FILE, line)) for line in (3, 9)]
    first, second = entries(render(report(*twice), root=ROOT))
    assert second["fingerprint"] == first["fingerprint"] + "-2"


@with_any_text
def test_any_text(text: str) -> None:
    document = render(hostile(text), root=ROOT)
    assert all(" " <= character <= "~" or character == "\n" for character in document)
    assert "##[" not in document
    assert not [
        character
        for entry in json.loads(document)
        for character in entry["description"]
        if character < " "
    ]
