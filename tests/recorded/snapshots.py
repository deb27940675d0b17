"""Reports as text that a person reads and git compares: a block for each finding."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from envdoctor.model.finding import Finding
from envdoctor.model.report import Report

Snapshot = dict[str, Any]

#: What numbers are in a message that is compared with that of another examination.
_NUMBER = re.compile(r"(?<=\$TMPDIR/)\S+|(?:(?<=\s)-)?\d+(?:\.\d+)?")  # a random one has any sign


def snapshot_of(report: Report) -> Snapshot:
    """Return the kept part of a report: findings, the rules that passed, and the others with the
    reason.
    """
    passed: dict[str, set[str]] = defaultdict(set)
    for item in report.passed:
        passed[_place(item.manager, item.start_method)].add(item.code)
    not_judged: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for skipped in report.skipped:
        place = _place(skipped.manager, skipped.start_method)
        not_judged[place][skipped.reason].add(skipped.code or "all")
    return {
        "command": " ".join(report.command),
        "verdict": report.verdict,
        "incomplete": report.incomplete,
        "findings": sorted(map(_block, report.findings), key=_order),
        "passed": {place: " ".join(sorted(codes)) for place, codes in sorted(passed.items())},
        "not judged": {
            place: {reason: " ".join(sorted(codes)) for reason, codes in sorted(reasons.items())}
            for place, reasons in sorted(not_judged.items())
        },
    }


def _block(finding: Finding) -> Snapshot:
    remedy, location = finding.remedy, finding.location
    return {
        "code": finding.code,
        "place": _place(finding.manager, finding.start_method),
        "severity": finding.severity,
        "blame": finding.blame,
        "message": finding.message,
        "location": f"{location.file}:{location.line} {location.function}" if location else "",
        "remedy": remedy.text,
        "commands": [line for command in remedy.commands for line in command.splitlines()],
        "verified": remedy.verified,
        "fingerprint": finding.fingerprint,
    }


def _place(manager: str, start_method: str | None) -> str:
    return f"{manager}, {start_method}" if start_method else manager


def _order(block: Snapshot) -> tuple[str, str, str, str]:
    return (block["code"], block["place"], block["message"], block["fingerprint"])


def text_of(snapshot: Snapshot) -> str:
    """A snapshot as it lies in a file."""
    return json.dumps(snapshot, indent=1, ensure_ascii=False) + "\n"


def changes(old: Snapshot, new: Snapshot) -> Iterator[str]:
    """Yield the changes between two snapshots, a line for each finding and each field of it."""
    if old["verdict"] != new["verdict"]:
        yield f"verdict: {old['verdict']} -> {new['verdict']}"
    before, after = _by_key(old), _by_key(new)
    for key in sorted(before.keys() | after.keys()):
        code, place, _ = key
        if key not in after:
            yield f"gone: {code} [{place}] {before[key]['message']}"
        elif key not in before:
            severity, message = after[key]["severity"], after[key]["message"]
            yield f"new {severity}: {code} [{place}] {message}"
        else:
            for name, value in after[key].items():
                if before[key].get(name) != value:
                    yield f"{name} of {code} [{place}]: {before[key].get(name)!r} -> {value!r}"
    yield from _changed_verdicts(old, new)


def _by_key(snapshot: Snapshot) -> dict[tuple[str, str, str], Snapshot]:
    """The findings by code, place and fingerprint; of several alike, by their messages as well."""
    blocks: dict[tuple[str, str, str], Snapshot] = {}
    for block in snapshot["findings"]:
        key = (block["code"], block["place"], block["fingerprint"])
        while key in blocks:
            key = (*key[:2], f"{key[2]}+")
        blocks[key] = block
    return blocks


def _changed_verdicts(old: Snapshot, new: Snapshot) -> Iterator[str]:
    """Rules that passed or were not judged, and are otherwise now."""
    before, after = _verdicts(old), _verdicts(new)
    for code, place in sorted(before.keys() | after.keys()):
        was, is_now = before.get((code, place), "silent"), after.get((code, place), "silent")
        if was != is_now:
            yield f"{code} [{place}]: {was} -> {is_now}"


def _verdicts(snapshot: Snapshot) -> dict[tuple[str, str], str]:
    verdicts = {
        (code, place): "passed"
        for place, codes in snapshot["passed"].items()
        for code in codes.split()
    }
    for place, reasons in snapshot["not judged"].items():
        for reason, codes in reasons.items():
            for code in codes.split():
                verdicts[code, place] = f"not judged: {reason}"
    return verdicts


def outline(snapshot: Snapshot) -> Snapshot:
    """Return the part that two examinations of one environment have in common: findings with their
    severity, blame and place, and messages without numbers.
    """
    return {
        "verdict": snapshot["verdict"],
        "findings": [
            {
                **{name: block[name] for name in ("code", "place", "severity", "blame")},
                "message": _NUMBER.sub("#", block["message"]),
                "location": block["location"],
                "verified": block["verified"],
                "fingerprint": block["fingerprint"],
            }
            for block in snapshot["findings"]
        ],
        "passed": snapshot["passed"],
        "not judged": {
            place: {_NUMBER.sub("#", reason): codes for reason, codes in reasons.items()}
            for place, reasons in snapshot["not judged"].items()
        },
    }
