"""From the findings of a subject to what became of their remedies, one by one and together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from envdoctor.model.finding import OPEN, Finding
from envdoctor.model.report import Report
from envdoctor.model.trace import Trace
from envdoctor.plan import slow_calls
from envdoctor.plan.leak_session import seconds_of
from envdoctor.request.request import Request
from envdoctor.rules.engine.judging import Judgement
from envdoctor.rules.engine.registry import Rule
from envdoctor.run.combining import Combining
from envdoctor.run.play import Play
from envdoctor.run.remedies import PLAYS, SECONDS, Trials
from envdoctor.run.supervise.session import Session
from envdoctor.verdict.diagnosis import Examined, Run, judged, report_on
from envdoctor.verdict.remedies import kept, kept_fix

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
