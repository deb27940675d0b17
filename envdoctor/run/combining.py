"""The remedies of one subject in one copy: a fix is written into the user's files only as it was
played, with everything in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from envdoctor.model.finding import Finding
from envdoctor.model.remedy import Edit, Fix, FixedFinding, Tried
from envdoctor.remedies.applying import NoPlaceError
from envdoctor.run.own_files import refusal
from envdoctor.run.remedies import Cure, Trials


@dataclass
class Combining:
    """Finds out which cures of `trials` hold together. Only findings that are open by the team's
    policy (`is_open`) are cured, and only in files below `roots`. `tried` is what became
    of each remedy alone, by the fingerprint of its finding.
    """

    trials: Trials
    is_open: Callable[[Finding], bool]
    roots: Sequence[str]
    tried: Mapping[str, Tried]
    _left: list[FixedFinding] = field(default_factory=list)

    def run(self) -> Fix:
        """The fix, with the findings that it leaves although a remedy of their own was verified."""
        self.trials.extend()
        for finding in self.trials.judgement.findings:
            alone = self.tried.get(finding.fingerprint)
            if alone and not alone.verified:
                self._leave([finding], alone.reason)
        held = self._hold((), tuple(self._permitted()))
        fix = self.trials.fix(_edits(held)) if held else Fix()
        cured = tuple(
            FixedFinding(each.code, each.fingerprint) for findings, _ in held for each in findings
        )
        return replace(fix, cured=cured, left=tuple(self._left))

    def _permitted(self) -> Iterator[Cure]:
        """The cures of open findings in files that may be changed."""
        for cure in self.trials.cures:
            findings, edits = cure
            reason = next(filter(None, (refusal(each.file, self.roots) for each in edits)), "")
            if any(map(self.is_open, findings)) and not reason:
                yield cure
            elif reason:
                self._leave(findings, reason)

    def _leave(self, findings: Sequence[Finding], reason: str) -> None:
        self._left += [FixedFinding(each.code, each.fingerprint, reason) for each in findings]

    def _hold(self, base: Sequence[Cure], more: Sequence[Cure]) -> tuple[Cure, ...]:
        """Return the cures of `base`, which hold together, with those of `more` that hold too."""
        every = (*base, *more)
        if not more or every == self.trials.held:
            return every
        reason = self._reason(every)
        if not reason:
            return every
        if len(more) == 1:
            self._leave(more[0][0], reason)
            return tuple(base)
        middle = len(more) // 2
        return self._hold(self._hold(base, more[:middle]), more[middle:])

    def _reason(self, cures: Sequence[Cure]) -> str:
        """The reason why these do not hold together, or nothing."""
        try:
            return self.trials.holds([each for cure in cures for each in cure[0]], _edits(cures))
        except NoPlaceError as error:
            return str(error)


def _edits(cures: Sequence[Cure]) -> list[Edit]:
    return [edit for _, edits in cures for edit in edits]
