"""Leftovers of the user's function of actions: they belong to that function, so they make no
finding, and the rule counts as not judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath

from envdoctor.model.actions import ActionSource
from envdoctor.model.facts import Known
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Finding, Location, Skipped
from envdoctor.model.named_places import NamedPlaces
from envdoctor.model.subject import Subject
from envdoctor.rules.engine.judging import Judgement

KEEPS = "the function of --actions keeps it"
MIXED = "the function of --actions keeps things, too, and whose this is cannot be told"


def without_functions(judgement: Judgement, subject: Subject, known: Known) -> Judgement:
    """The judgement of a subject without what its function of actions keeps, and without growth
    that names no place at all where it keeps something. `known` is what is known of the subject.
    """
    if subject.action is None or not subject.action.is_function:
        return judgement
    function = _function(subject.action, (subject.path or "", *known.files))
    theirs = [finding for finding in judgement.findings if function.made(finding)]
    grows = any(NamedPlaces.in_evidence(finding.evidence).is_growth for finding in theirs)
    reasons = {id(finding): KEEPS for finding in theirs}
    for finding in judgement.findings:
        named = NamedPlaces.in_evidence(finding.evidence)
        if grows and named.is_growth and named.is_empty:
            reasons.setdefault(id(finding), MIXED)
    kept = tuple(finding for finding in judgement.findings if id(finding) not in reasons)
    left_out = [finding for finding in judgement.findings if id(finding) in reasons]
    skipped = tuple(_skipped(left_out, kept, reasons))
    return replace(judgement, findings=kept, skipped=(*judgement.skipped, *skipped))


def _skipped(
    left_out: Iterable[Finding], kept: Iterable[Finding], reasons: Mapping[int, str]
) -> Iterator[Skipped]:
    """Each rule that has nothing else to say in a place, once."""
    reported = {_place(finding) for finding in kept}
    for finding in left_out:
        if _place(finding) not in reported:
            reported.add(_place(finding))
            reason = reasons[id(finding)]
            yield Skipped(
                finding.code, finding.subject, finding.manager, reason, finding.start_method
            )


def _place(finding: Finding) -> tuple[str, str, str | None]:
    return finding.code, finding.manager, finding.start_method


@dataclass(frozen=True)
class _Function:
    """The place of a function: in a file that ends so, as a module of that name. `shares` the file
    with the environment: only its own lines are the function's then.
    """

    name: str
    module: str
    endings: tuple[str, ...]
    shares: bool

    def made(self, finding: Finding) -> bool:
        """Return True if all that a finding names is the function's. Lines of code count for more
        than the holder of the things, and than the place that is shown.
        """
        named = NamedPlaces.in_evidence(finding.evidence)
        for lines in (named.acquired_at, named.lines):
            if lines:
                return all(map(self._has, lines))
        if finding.location is not None and self._has(finding.location):
            return True
        return not self.shares and any(
            holder == self.module or holder.startswith(f"{self.module}.")
            for holder in named.holders
        )

    def _has(self, line: Location) -> bool:
        if not _ends(line.file, self.endings):
            return False
        own = line.function == self.name or line.function.startswith(f"{self.name}.")
        return own or not self.shares


def _function(source: ActionSource, files: Iterable[str]) -> _Function:
    module = source.module or PurePath(source.path).stem
    stem = "/" + source.module.replace(".", "/")
    endings = (source.path,) if source.path else (f"{stem}.py", f"{stem}/__init__.py")
    shares = any(_ends(file, endings) for file in files)
    return _Function(source.name, module, endings, shares)


def _ends(file: str, endings: Iterable[str]) -> bool:
    return _slashes(file).endswith(tuple(map(_slashes, endings)))


def _slashes(file: str) -> str:
    return file.replace("\\", "/")
