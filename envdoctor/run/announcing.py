"""Announces findings of a subject while its scenarios are played."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from envdoctor.model.finding import Finding
from envdoctor.rules.engine.judging import Judgement
from envdoctor.rules.engine.registry import Rule
from envdoctor.run.play import Play
from envdoctor.verdict.diagnosis import Run, RunEvidence, judged
from envdoctor.verdict.finality import complete_findings, final_findings

SHARE = 0.04  # of the doctor's time, for judgements that only announce findings


class Listener:
    """Gets findings before the report has them, each of them once. This one forgets them.

    Subjects may be examined side by side, each in a thread of its own.
    """

    #: True for a listener that wants findings while scenarios are still to be played.
    is_eager = False

    def begin(self, run: Run) -> None:
        """The run begins."""

    def final(self, findings: Iterable[Finding]) -> None:
        """The report will have these findings. Their remedies may still get places and code."""

    def complete(self, findings: Iterable[Finding]) -> None:
        """The report will have these findings as they are."""


class Listeners(Listener):
    """Several as one."""

    def __init__(self, *listeners: Listener) -> None:
        self._listeners = listeners

    @property
    def is_eager(self) -> bool:  # type: ignore[override]
        """True where one of them is."""
        return any(each.is_eager for each in self._listeners)

    def begin(self, run: Run) -> None:
        """The run begins."""
        for each in self._listeners:
            each.begin(run)

    def final(self, findings: Iterable[Finding]) -> None:
        """The report will have these findings."""
        for each in self._listeners:
            each.final(findings)

    def complete(self, findings: Iterable[Finding]) -> None:
        """The report will have these findings as they are."""
        for each in self._listeners:
            each.complete(findings)


@dataclass
class Pace:
    """Judges seldom enough that it costs little: after a judgement, the next one waits until it
    takes no more than its share of the time that went by.
    """

    share: float = SHARE
    clock: Callable[[], float] = time.monotonic
    cpu: Callable[[], float] = time.thread_time
    _due: float = 0.0

    @property
    def is_due(self) -> bool:
        """True where enough time went by."""
        return self.clock() >= self._due

    def spend(self, work: Callable[[], None]) -> None:
        """Do the work, and wait accordingly."""
        began = self.cpu()
        work()
        self._due = self.clock() + (self.cpu() - began) / self.share


@dataclass
class Announcing:
    """Announces the findings of one subject to a listener."""

    listener: Listener
    rules: Callable[[], tuple[Rule, ...]]
    others_follow: bool = False  # other subjects of the same run
    tries_remedies: bool = False
    pace: Pace = field(default_factory=Pace)
    _final: set[str] = field(default_factory=set)
    _complete: list[Finding] = field(default_factory=list)

    def on_scenario_end(self, play: Play) -> None:
        """A scenario is over: judge what was played so far, where that is worth its cost."""
        last = play.traces[-1].scenario
        says_nothing = last.traits.surveys or last.traits.growth or last.control
        if not self.listener.is_eager or says_nothing or play.interrupted or not self.pace.is_due:
            return
        rules = self.rules()  # imported before the cost is measured: the report needs them as well
        self.pace.spend(lambda: self._judge(play.evidence_so_far(), rules))

    def judged(self, so_far: RunEvidence, judgement: Judgement) -> None:
        """Announce what is final in a judgement of what was seen so far."""
        if self.listener.is_eager:
            rules = self.rules()
            final = final_findings(judgement.findings, so_far, rules)
            self._announce(final)
            self._hand_on(
                complete_findings(final, judgement.findings, so_far, rules), self.tries_remedies
            )

    def _judge(self, so_far: RunEvidence, rules: tuple[Rule, ...]) -> None:
        self.judged(so_far, judged(so_far, rules))

    def over(self, judgement: Judgement) -> None:
        """All was played, and remedies are tried next, where they are."""
        aims = any(each.remedy.aim for each in judgement.findings)
        if self.others_follow or (aims and self.tries_remedies):
            self._announce(judgement.findings)
        self._hand_on(judgement.findings, self.tries_remedies)

    def ended(self, judgement: Judgement) -> None:
        """Nothing more is played or tried."""
        self._hand_on(judgement.findings, may_get_code=False)

    def _hand_on(self, findings: Iterable[Finding], may_get_code: bool) -> None:
        """Hand on what is complete. Remedies that are tried change only findings with an aim."""
        new = [
            finding
            for finding in findings
            if not (may_get_code and finding.remedy.aim) and finding not in self._complete
        ]
        self._complete += new
        if new:
            self.listener.complete(new)

    def _announce(self, findings: Iterable[Finding]) -> None:
        new = [finding for finding in findings if finding.fingerprint not in self._final]
        self._final.update(finding.fingerprint for finding in new)
        if new:
            self.listener.final(new)
