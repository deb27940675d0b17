"""From a report to what is written into the user's files: what cures the findings of each subject
together, and what is left, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import OPEN, Finding
from envdoctor.model.fixes import ChangedFile, Fix
from envdoctor.model.remedy import Change
from envdoctor.model.report import FindingOfFix, FixedFile, Fixes, Report

NOT_CODE = "its remedy is not code"
NOT_VERIFIED = "no code was verified for it"
NOT_TRIED = "its remedy was not tried"
AGAIN = "{file} is changed for {subject} first: run it again"


@dataclass(frozen=True)
class Patch:
    """One file, the changes that are made in it, and the digest of the text that they lead to."""

    file: ChangedFile
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Plan:
    """Patches, the findings that are gone with them, and those that are not."""

    patches: tuple[Patch, ...] = ()
    cured: tuple[FindingOfFix, ...] = ()
    left: tuple[FindingOfFix, ...] = ()

    @property
    def as_fixes(self) -> Fixes:
        """The plan as a report has it."""
        files = tuple(
            FixedFile(each.file.file, each.file.examined, each.changes) for each in self.patches
        )
        return Fixes(False, files, self.cured, self.left)


def planned(report: Report, done: Iterable[str] = ()) -> Plan:
    """The plan of a report. Subjects that share a file are changed one after the other, because
    only what was played together is written. `done` are the fingerprints of findings that a fix
    was written for before, and none is written for again.
    """
    patches: dict[str, tuple[str, Patch]] = {}
    reasons: dict[str, str] = {}
    cured: set[str] = set()
    for subject in report.subjects:
        fix = subject.fix or Fix()
        reasons |= {each.fingerprint: each.reason for each in fix.left}
        mine = {each.fingerprint for each in fix.cured}
        if mine & set(done):
            reasons |= dict.fromkeys(mine, "a fix was written for it, and it came again")
            continue
        own = {patch.file.file: patch for patch in _patches(fix)}
        shared = next(
            (file for file in own if file in patches and patches[file][1] != own[file]), ""
        )
        if shared:
            reasons |= dict.fromkeys(mine, AGAIN.format(file=shared, subject=patches[shared][0]))
            continue
        patches |= {file: (subject.spec, patch) for file, patch in own.items()}
        cured |= mine
    opened = [each for each in report.findings if each.status == OPEN]
    return Plan(
        tuple(patch for _, patch in patches.values()),
        tuple(FindingOfFix(each) for each in opened if each.fingerprint in cured),
        tuple(
            FindingOfFix(each, reasons.get(each.fingerprint) or _reason(each))
            for each in opened
            if each.fingerprint not in cured
        ),
    )


def together(rounds: Iterable[Plan], left: Plan) -> Fixes:
    """Join what several rounds have written, and what the last report leaves."""
    written = [each.as_fixes for each in rounds]
    return Fixes(
        True,
        tuple(file for each in written for file in each.files),
        tuple(cured for each in written for cured in each.cured),
        (*left.cured, *left.left),
    )


def _patches(fix: Fix) -> Iterator[Patch]:
    for file in fix.files:
        yield Patch(file, tuple(each for each in fix.changes if each.file == file.file))


def _reason(finding: Finding) -> str:
    if finding.remedy.aim is None:
        return NOT_CODE
    return NOT_VERIFIED if finding.remedy.verified is False else NOT_TRIED
