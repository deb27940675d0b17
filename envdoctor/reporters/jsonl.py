"""JSON lines: the document of version 1, one line for each thing in it, each with its `type`.
The summary comes last.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from envdoctor.model.facts.decoding import decoded, key
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.report import Report
from envdoctor.reporters import json_v1

SUMMARY = "summary"
RUN = ("version", "tool", "platform", "command", "seed")

#: type of a line: the key of the document whose entries it shows.
LISTS = {
    "subject": "subjects",
    "finding": "findings",
    "passed": "passed",
    "skipped": "skipped",
    "scenario": "scenarios",
}


def render(report: Report, **_options: object) -> str:
    """A line `run`, one each `subject`, `finding`, `passed`, `skipped` and `scenario`, and a
    line `summary`.
    """
    return text_of(lines(report))


def text_of(lines: Iterable[Mapping[str, object]]) -> str:
    """The lines as text."""
    return "".join(json_v1.written(line, indent=None) for line in lines)


def lines(report: Report) -> Iterator[dict[str, object]]:
    """The lines as plain values."""
    document = json_v1.plain(json_v1.document(report))
    yield {"type": "run", **{name: document[name] for name in RUN}}
    for kind in LISTS:
        yield from _entries(kind, document)
    yield {"type": SUMMARY, **document[SUMMARY]}


def finding_lines(report: Report) -> Iterator[dict[str, object]]:
    """Those of its findings alone."""
    return _entries("finding", json_v1.plain(json_v1.document(report)))


def _entries(kind: str, document: Mapping[str, Any]) -> Iterator[dict[str, object]]:
    return ({"type": kind, **entry} for entry in document[LISTS[kind]])


@dataclass(frozen=True)
class _Schema:
    """The relevant part of a JSON Schema."""

    schema_uri: str = field(metadata=key("$schema"))
    properties: Mapping[str, object]
    definitions: Mapping[str, object] = field(metadata=key("$defs"))


@dataclass(frozen=True)
class _List:
    """A list in a JSON Schema: its entries, as a `$ref` to the definition."""

    items: Mapping[str, Any]


def schema() -> str:
    """The JSON Schema of one line, as text: it has the parts of the document."""
    document = decoded(_Schema, json.loads(json_v1.schema()))
    parts = document.properties
    bodies = {
        "run": {"required": list(RUN), "properties": {name: parts[name] for name in RUN}},
        **{kind: decoded(_List, parts[name]).items for kind, name in LISTS.items()},
        SUMMARY: parts[SUMMARY],
    }
    return json_v1.written(
        {
            "$schema": document.schema_uri,
            "title": "a line of envdoctor's JSON lines, version 1",
            "type": "object",
            "required": ["type"],
            "properties": {"type": {"enum": list(bodies)}},
            "allOf": [
                {"if": {"properties": {"type": {"const": kind}}}, "then": body}
                for kind, body in bodies.items()
            ],
            "$defs": document.definitions,
        }
    )
