"""Growth that only a copy shows: other growth, or a slow life, hid it in the original."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from envdoctor.model.finding import Finding
from envdoctor.verdict.triage import GROWTH


def stems_from_original(finding: Finding, copies: Mapping[str, str]) -> bool:
    """Return True for growth of a line that a copy did not get. `copies` are the paths of the
    user's files, with those of the changed ones that are played in their place.
    """
    place = finding.location
    if not finding.code.startswith(GROWTH) or place is None:
        return False
    if place.file not in copies:
        return True
    original, lines = (lines_of(path) for path in (place.file, copies[place.file]))
    return lines[place.line - 1 : place.line] != [] and lines[place.line - 1] in original


def lines_of(path: str) -> list[str]:
    """The lines of a file."""
    return Path(path).read_text(encoding="utf-8", errors="replace").split("\n")
