"""From the findings of a subject to what became of their remedies, one by one and together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from envdoctor.model.environment_aims import OpenAgain
from envdoctor.model.finding import MANAGER, OPEN, Finding
from envdoctor.model.fixes import Fix, FixedFinding, Tried
from envdoctor.model.remedy import Edit
from envdoctor.model.report import Report
from envdoctor.model.trace import Trace
from envdoctor.plan import slow_calls
from envdoctor.plan.leak_session import seconds_of
from envdoctor.remedies.applying import NoPlaceError
from envdoctor.request.request import Request
from envdoctor.rules.engine.judging import Judgement
from envdoctor.rules.engine.registry import Rule
from envdoctor.run.own_files import refusal
from envdoctor.run.play import Play
from envdoctor.run.remedies import PLAYS, SECONDS, Cure, Trials
from envdoctor.run.supervise.session import Session
from envdoctor.verdict.diagnosis import Examined, Run, judged, report_on
from envdoctor.verdict.remedies import kept, kept_fix

RARE = "its code is for those who use a closed instance again: it is shown, and not written"


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
        held = self._spared(self._hold((), tuple(self._permitted())))
        if not held:
            return Fix(left=tuple(self._untried(())) + tuple(self._left))
        fix = self.trials.fix(_edits(held))
        cured = [each for findings, _ in held for each in findings]
        others = [each for each in self.trials.judgement.findings if each not in cured]
        # A defect of a framework is shown by what runs under it, which a copy does not play.
        others = [each for each in others if each.blame != MANAGER]
        cured += [each for each in others if self.trials.is_gone(each)]
        names = tuple(FixedFinding(each.code, each.fingerprint) for each in cured)
        gone = {each.fingerprint for each in names}
        left = (*self._untried(gone), *self._left)
        return replace(
            fix, cured=names, left=tuple(each for each in left if each.fingerprint not in gone)
        )

    def _untried(self, gone: Collection[str]) -> Iterator[FixedFinding]:
        """Findings for which no code was verified."""
        for finding in self.trials.judgement.findings:
            alone = self.tried.get(finding.fingerprint)
            if alone and not alone.verified and finding.fingerprint not in gone:
                yield FixedFinding(finding.code, finding.fingerprint, alone.reason)

    def _permitted(self) -> Iterator[Cure]:
        """The cures of open findings in files that may be changed."""
        for cure in self.trials.cures:
            findings, edits = cure
            reason = next(filter(None, (refusal(each.file, self.roots) for each in edits)), "")
            reason = reason or (RARE if all(map(_is_for_few, findings)) else "")
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

    def _spared(self, held: tuple[Cure, ...]) -> tuple[Cure, ...]:
        """The cures without edits that are not needed beside the others: a close() that raises no
        more comes to the line that gives back, and needs no second one.
        """
        for at, (findings, edits) in enumerate(held):
            without = (*held[:at], (findings, ()), *held[at + 1 :])
            needed = len(held) < 2 or not self.trials.repeats(edits) or _edits(without) == []
            if not needed and not self._reason(without):
                held = without
        return held

    def _reason(self, cures: Sequence[Cure]) -> str:
        """The reason why these do not hold together, or nothing."""
        try:
            return self.trials.holds([each for cure in cures for each in cure[0]], _edits(cures))
        except NoPlaceError as error:
            return str(error)


def _is_for_few(finding: Finding) -> bool:
    """Return True for code that is shown to those who need it."""
    return isinstance(finding.remedy.aim, OpenAgain) and not finding.remedy.aim.asks


def _edits(cures: Sequence[Cure]) -> list[Edit]:
    return [edit for _, edits in cures for edit in edits]


OF_FIX = 4  # times as many copies, and as much time, where a fix is asked for


def outcomes(
    session: Session,
    play: Play,
    judgement: Judgement,
    request: Request,
    rules: tuple[Rule, ...],
    settle: Callable[[Report], Report] | None,
) -> dict[str, object]:
    """Return what is kept of remedies that were tried in a session of their own, and of the fix
    where one is asked for: of findings that are open, as `settle` says.
    """
    known, times = play.evidence(), OF_FIX if request.fix_roots else 1
    trials = Trials(
        session,
        known,
        rules,
        judgement,
        play.progress,
        copies(request, play.traces, PLAYS * times),
        play.seed,
        lambda: play.budget.is_over,
        SECONDS * times,
    )
    tried = trials.run()
    if not request.fix_roots:
        return kept(tried)
    alone = judged(play.evidence(), rules)
    report = report_on(Run(), [Examined(known, alone)])
    settled = settle(report) if settle else report
    opened = {each.fingerprint for each in settled.findings if each.status == OPEN}

    def is_open(finding: Finding) -> bool:
        return finding.fingerprint in opened

    return {**kept(tried), **kept_fix(Combining(trials, is_open, request.fix_roots, tried).run())}


def copies(request: Request, traces: Sequence[Trace], most: int) -> int:
    """The number of copies for remedies: none where a leak check took all of its time, unless a fix
    is asked for.
    """
    if request.fix_roots:
        return most
    check = request.leak_check
    if check and check.explain and sum(map(seconds_of, traces)) >= check.seconds:
        return 0
    return most if request.budget else slow_calls.copies(traces, most)
