"""SARIF 2.1.0, as GitHub's code scanning shows it.

A result for each case with a place in the repository, because GitHub takes none without. What is
set aside is suppressed with its reason. GitHub tells findings apart by the text of their
line; those that have only a stand-in for a line bring a hash of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from urllib.parse import quote

from envdoctor.model.finding import (
    BASELINED,
    ERROR,
    IGNORED,
    NOTE,
    OPEN,
    WARNING,
    Finding,
    Location,
)
from envdoctor.model.remedy import Change
from envdoctor.model.report import Report
from envdoctor.reporters._anchors import MANIFEST, Anchor, anchor, inside
from envdoctor.reporters._folding import Case, by_reason, cases, name_places, worker_numbers
from envdoctor.reporters._markdown import fenced, prose
from envdoctor.reporters._showing import clean
from envdoctor.reporters._wording import WHERE, account, commands, listed, safe_line, sentence
from envdoctor.reporters.json_v1 import plain, written
from envdoctor.rules.engine.registry import catalogue

PROSE, CODE = 4, 8  # columns that text and code are indented by

_TICKED = re.compile(r"(\(?`[^`]+`[.,;:)]*)")


def as_markdown(manual: str) -> str:
    """Headings, paragraphs and blocks of code; without the first line, which is the summary."""
    lines = manual.strip().splitlines()[1:]
    return "\n\n".join(block for block in _blocks(lines) if block)


def _blocks(lines: list[str]) -> Iterator[str]:
    for kind, group in groupby(_with_gaps(lines), key=lambda entry: entry[0]):
        texts = [line for _, line in group]
        if kind == "heading":
            yield from (f"## {text}" for text in texts)
        elif kind == "code":
            yield fenced("\n".join(texts).strip("\n").split("\n"))
        else:
            for filled, paragraph in groupby(texts, key=bool):
                yield _paragraph(list(paragraph)) if filled else ""


def _with_gaps(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line with what it is part of. An empty one is part of what comes before it, but for
    headings.
    """
    kind = "prose"
    for line in lines:
        if line.strip():
            indent = len(line) - len(line.lstrip())
            kind = "code" if indent >= CODE else "prose" if indent >= PROSE else "heading"
            yield kind, line[CODE:] if kind == "code" else line.strip()
        elif kind != "heading":
            yield kind, ""


def _paragraph(lines: list[str]) -> str:
    """Lists keep their lines; what is between ticks stays as it is."""
    items = re.split(r"\n(?=[-*] )", "\n".join(lines))
    return "\n".join(_item(item) for item in items)


def _item(text: str) -> str:
    bullet, text = ("- ", text[2:]) if text[:2] in ("- ", "* ") else ("", text)
    parts = _TICKED.split(" ".join(text.split()))
    return bullet + " ".join(
        part.strip() if "`" in part else prose(part) for part in parts if part.strip()
    )


#: What GitHub filters and sorts by.
PROBLEM = {ERROR: "error", WARNING: "warning", NOTE: "recommendation"}


def described(code: str, name: str) -> dict[str, object]:
    """The rule of that code; one that a saved run knows and this version does not has no more
    than its name.
    """
    entry = next((entry for entry in catalogue() if entry.code == code), None)
    if entry is None:
        return {
            "id": safe_line(code),
            "name": safe_line(name),
            "shortDescription": {"text": safe_line(name) or safe_line(code)},
        }
    rule = entry.load()
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        "help": {"text": rule.manual.strip(), "markdown": as_markdown(rule.manual)},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {
            "tags": ["reinforcement-learning", rule.code[:3]],
            "precision": "very-high",
            "problem.severity": PROBLEM[rule.severity],
        },
    }


SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
ROOT = "%SRCROOT%"  # the name under which GitHub and others know the root of the repository

Object = dict[str, object]


def render(
    report: Report,
    *,
    root: str = "",
    manifest: str = MANIFEST,
    exit_code: int | None = None,
    **_options: object,
) -> str:
    """One run. Paths are relative to `root`; what has no place below it stands where its
    subject is defined, or at the manifest.
    """
    reported = [
        case
        for status in _statuses(report)
        for case in cases(finding for finding in report.findings if finding.status == status)
    ]
    rules = {case.first.code: case.first.name for case in reported}
    places = [anchor(case.first, report, root, manifest) for case in reported]
    run = {
        "tool": {
            "driver": {
                "name": "envdoctor",
                "version": report.version,
                "rules": [described(*rule) for rule in sorted(rules.items())],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "the root of the repository"}}},
        "invocations": [_invocation(report, exit_code)],
        "results": [
            _result(case, place, report, sorted(rules).index(case.first.code), root)
            for case, place in zip(reported, places, strict=True)
        ],
    }
    return written(plain({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}))


def _statuses(report: Report) -> list[str]:
    """Open first: services that take only so many results take the first ones."""
    return sorted(
        {finding.status for finding in report.findings}, key=lambda status: (status != OPEN, status)
    )


def _invocation(report: Report, exit_code: int | None) -> Object:
    notes = [
        {
            "level": "note",
            "message": {"text": f"not judged: {safe_line(', '.join(whats))}: {safe_line(reason)}"},
        }
        for reason, whats in by_reason(report.skipped)
    ]
    return {
        "executionSuccessful": not report.interrupted,
        **({} if exit_code is None else {"exitCode": exit_code}),
        "arguments": [safe_line(word) for word in report.command[1:]],
        "toolExecutionNotifications": notes,
    }


def _result(case: Case, place: Anchor, report: Report, index: int, root: str) -> Object:
    first = case.first
    return {
        "ruleId": safe_line(first.code),
        "ruleIndex": index,
        "level": first.severity,
        "message": {"text": "\n".join(_message(case, place, report, root))},
        "locations": [_location(first, place)],
        "partialFingerprints": {
            "envdoctor/v2": first.fingerprint,
            **({} if place.own else {"primaryLocationLineHash": f"{case.fingerprint}:1"}),
        },
        **_fixes(first, root),
        **_standing(first, report),
        "properties": {
            "subject": safe_line(first.subject),
            "places": safe_line(name_places(case.places)),
            # As `blame`, readers of Microsoft's expect the author of a line, as git knows them.
            "whoseFault": first.blame,
            "confidence": first.confidence,
            "status": first.status,
            "fingerprints": [finding.fingerprint for finding in case.findings],
        },
    }


def _fixes(finding: Finding, root: str) -> Object:
    """The changes of a remedy that was tried, where all of its files are in the repository."""
    changes: dict[str, list[Object]] = {}
    for change in finding.remedy.changes:
        place = inside(Location(change.file, change.line), root)
        if place is None:
            return {}
        changes.setdefault(clean(place.path, unicode=True), []).append(_replacement(change))
    if not changes:
        return {}
    files = [
        {"artifactLocation": {"uri": quote(path), "uriBaseId": ROOT}, "replacements": replacements}
        for path, replacements in changes.items()
    ]
    description = {"text": safe_line(finding.remedy.text)}
    return {"fixes": [{"description": description, "artifactChanges": files}]}


def _replacement(change: Change) -> Object:
    text = "".join(f"{line}\n" for line in change.lines)
    region = {
        "startLine": change.line,
        "startColumn": 1,
        "endLine": change.line + change.deleted,
        "endColumn": 1,
    }
    return {"deletedRegion": region, "insertedContent": {"text": text}}


def _message(case: Case, place: Anchor, report: Report, root: str) -> Iterator[str]:
    """Yield the message, and the account of it. SARIF reads [text](address) as a link."""
    lines = [sentence(case, worker_numbers(report), root)]
    lines += listed(entry for entry in account(case, root) if entry[0] != WHERE or not place.own)
    for line in [*lines, *commands(case.first)]:
        yield line.replace("](", "] (")


def _location(finding: Finding, place: Anchor) -> Object:
    function = finding.location.function if finding.location and place.own else ""
    path = clean(place.path, unicode=True)
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(path), "uriBaseId": ROOT},
            "region": {"startLine": place.line},
        },
        **(
            {"logicalLocations": [{"name": safe_line(function), "kind": "function"}]}
            if function
            else {}
        ),
    }


def _standing(finding: Finding, report: Report) -> Object:
    """Return whether it counts: against a baseline, where there was one, and by what is ignored."""
    compared = any(finding.status == BASELINED for finding in report.findings)
    state = {"baselineState": _since(finding)} if compared else {}
    if finding.status == OPEN:
        return {**state, "suppressions": []}
    reason = safe_line(finding.status_reason) or {
        BASELINED: "in the baseline",
        IGNORED: "ignored",
    }.get(finding.status, safe_line(finding.status))
    return {
        **state,
        "suppressions": [{"kind": "external", "status": "accepted", "justification": reason}],
    }


def _since(finding: Finding) -> str:
    """Return the state since the baseline. An open finding with a reason is known, and worse than
    it was.
    """
    if finding.status == BASELINED:
        return "unchanged"
    return "updated" if finding.status == OPEN and finding.status_reason else "new"
