"""Reports on the end of a worker: the finding, and the words that it must hold."""

from __future__ import annotations

from typing import Any

from tests.support.zoo import examine, messages_of

SHORT = ("--timeout", "6")


def the_finding(document: dict[str, Any], code: str, also: tuple[str, ...] = ()) -> dict[str, Any]:
    """The only finding that is worse than a note, but for those that are true as well."""
    findings = [
        finding
        for finding in document["findings"]
        if finding["severity"] != "note" and finding["code"] not in also
    ]
    assert [finding["code"] for finding in findings] == [code], messages_of(document)
    return findings[0]


def death(
    name: str,
    manager: str,
    method: str,
    code: str,
    *words: str,
    arguments: tuple[str, ...] = SHORT,
    also: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Examine one of tests/envs (of dying.py, unless `name` says otherwise) in one place; the
    finding that explains its end.
    """
    spec = name if ":" in name else f"dying.py:{name}"
    _, document = examine(spec, "--managers", manager, "--start-methods", method, *arguments)
    finding = the_finding(document, code, also)
    missing = [word for word in words if word not in finding["message"]]
    assert not missing, finding["message"]
    return finding
