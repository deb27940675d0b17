"""JSON lines: the document of version 1, one line for each thing in it, each with its `type`.
The summary comes last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from envdoctor.model.report import Report
from envdoctor.reporters import json_v1

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
    return "".join(json_v1.written(line, indent=None) for line in lines(report))


def lines(report: Report) -> Iterator[dict[str, Any]]:
    """The lines as plain values."""
    document = json_v1.plain(json_v1.document(report))
    yield {"type": "run", **{key: document[key] for key in RUN}}
    for kind, key in LISTS.items():
        yield from ({"type": kind, **entry} for entry in document[key])
    yield {"type": "summary", **document["summary"]}


def schema() -> str:
    """The JSON Schema of one line, as text: it has the parts of the document."""
    document = json.loads(json_v1.schema())
    properties = document["properties"]
    bodies = {
        "run": {"required": list(RUN), "properties": {key: properties[key] for key in RUN}},
        **{kind: {"$ref": properties[key]["items"]["$ref"]} for kind, key in LISTS.items()},
        "summary": properties["summary"],
    }
    return json_v1.written(
        {
            "$schema": document["$schema"],
            "title": "a line of envdoctor's JSON lines, version 1",
            "type": "object",
            "required": ["type"],
            "properties": {"type": {"enum": list(bodies)}},
            "allOf": [
                {"if": {"properties": {"type": {"const": kind}}}, "then": body}
                for kind, body in bodies.items()
            ],
            "$defs": document["$defs"],
        }
    )
