"""Growth that only a copy shows: other growth, or a slow life, hid it in the original."""

from __future__ import annotations

from collections.abc import Mapping

from envdoctor.model.finding import Finding
from envdoctor.remedies.source import File
from envdoctor.verdict.triage import GROWTH


def stems_from_original(
    finding: Finding, files: Mapping[str, File], texts: Mapping[str, str]
) -> bool:
    """Return True for growth of a line that a copy did not get: `texts` are the changed ones of the
    user's own `files`.
    """
    place = finding.location
    if not finding.code.startswith(GROWTH) or place is None:
        return False
    if place.file not in texts:
        return True
    line = texts[place.file].split("\n")[place.line - 1]
    return line in files[place.file].lines
