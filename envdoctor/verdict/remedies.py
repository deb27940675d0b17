"""Results of remedies that were tried on a copy: into the lines of a saved run, and from there into
the findings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from envdoctor.model.facts.decoding import decoded
from envdoctor.model.failure_aims import RaiseEnd
from envdoctor.model.finding import Finding
from envdoctor.model.fixes import Fix, Tried
from envdoctor.remedies.printing import listing

REMEDIES, FIX = "remedies", "fix"  # the keys of what the doctor itself found out
VERIFIED = "Verified on a copy{with_others}: this finding is gone, and nothing new came."
RAISES = "Verified on a copy{with_others}: the call raises that error in place of waiting for ever."
NOT_TRIED = "Code for it was not tried: {reason}."


def kept(tried: Mapping[str, Tried]) -> dict[str, object]:
    """Return the JSON form of tried remedies, by fingerprint."""
    return {REMEDIES: {fingerprint: asdict(tried) for fingerprint, tried in tried.items()}}


def tried_remedies(read: Mapping[str, Any]) -> dict[str, Tried]:
    """The inverse of `kept`."""
    return {
        str(fingerprint): decoded(Tried, item)
        for fingerprint, item in (read.get(REMEDIES) or {}).items()
    }


def kept_fix(fix: Fix) -> dict[str, object]:
    """The remedies that hold together, as they are kept."""
    return {FIX: asdict(fix)}


def fix_in(read: Mapping[str, object]) -> Fix | None:
    """The inverse of `kept_fix`; None where none was asked for."""
    return decoded(Fix, read[FIX]) if FIX in read else None


def with_code(finding: Finding, tried: Mapping[str, Tried]) -> Finding:
    """The finding with the code of its remedy, where that was played and cures it. What did not is
    words; so is what was not tried, with the reason.
    """
    item = tried.get(finding.fingerprint)
    if item is None or finding.remedy.aim is None:
        return finding
    text = finding.remedy.text.rstrip().removesuffix(":").removesuffix(".")
    if item.verified is None:
        text = f"{text}. {NOT_TRIED.format(reason=item.reason)}"
        return finding.but(remedy=replace(finding.remedy, text=text))
    if not item.verified:
        return finding.but(remedy=replace(finding.remedy, verified=False))
    said = RAISES if isinstance(finding.remedy.aim, RaiseEnd) else VERIFIED
    others = ", together with the other code that is shown" if item.together else ""
    return finding.but(
        remedy=replace(
            finding.remedy,
            text=f"{text}. {said.format(with_others=others)}",
            commands=listing(item.changes),
            changes=item.changes,
            verified=True,
        )
    )
