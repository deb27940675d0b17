"""Findings on a terminal as they come, while the rest is still played: the report has them again,
judged with all that was seen.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from envdoctor.model.finding import ENVIRONMENT, NOTE, OPEN, Finding
from envdoctor.model.report import Report
from envdoctor.model.subject import Subject
from envdoctor.model.trace import INTERRUPTED, Trace
from envdoctor.reporters._showing import bounded
from envdoctor.rules.engine.registry import Rule, catalogue
from envdoctor.verdict.diagnosis import Examined, Recorder, Run, Seen, judged, report_on

Say = Callable[[str], None]


class Announcer(Recorder):
    """A recorder that says what is found, and hands on to `behind` what it gets.

    Only what is certain already: seen without a manager, the environment's own, no note. What
    happens under a manager is first held against its control. The growth of a leak check is said
    when the check is over: on the way, rates and holders change.
    """

    def __init__(
        self, say: Say, settle: Callable[[Report], Report], behind: Recorder | None = None
    ) -> None:
        self._say, self._settle, self._behind = say, settle, behind or Recorder()
        self._run, self._codes = Run(), frozenset[str]()
        self._rules: tuple[Rule, ...] = ()
        self._traces: dict[str, list[Trace]] = {}
        self._said: set[tuple[str, ...]] = set()
        self._alone = Lock()  # subjects may be examined side by side

    @property
    def trouble(self) -> str:  # type: ignore[override]
        """What went wrong with keeping what is seen."""
        return self._behind.trouble

    def begin(self, run: Run, codes: tuple[str, ...]) -> None:
        """The run begins."""
        self._run, self._codes = run, frozenset(codes)
        self._behind.begin(run, codes)

    def trace(self, subject: Subject, trace: Trace) -> None:
        """A scenario is over: what it showed is said."""
        self._behind.trace(subject, trace)
        with self._alone:
            own = self._traces.setdefault(subject.text, [])
            own.append(trace)
            if trace.outcome.kind != INTERRUPTED and not trace.scenario.traits.growth:
                self._announce(subject, tuple(own))

    def over(self, seen: Seen) -> None:
        """All of a subject was seen."""
        self._behind.over(seen)

    def end(self, report: Report) -> None:
        """The run is over."""
        self._behind.end(report)

    def _announce(self, subject: Subject, traces: tuple[Trace, ...]) -> None:
        seen = Seen(subject, traces)
        report = report_on(self._run, [Examined(seen, judged(seen, self._selected()))])
        for finding in self._settle(report).findings:
            same = (finding.subject, finding.code, *(finding.key or (finding.message,)))
            if _is_certain(finding) and same not in self._said:
                self._said.add(same)
                self._say(line_of(finding))

    def _selected(self) -> tuple[Rule, ...]:
        if not self._rules:
            self._rules = tuple(one.load() for one in catalogue() if one.code in self._codes)
        return self._rules


def _is_certain(finding: Finding) -> bool:
    return finding.status == OPEN and finding.severity != NOTE and finding.blame == ENVIRONMENT


def line_of(finding: Finding) -> str:
    """`error CLS006 close() leaves 1 descriptor open (arm.py:41)`."""
    where = finding.location
    place = f" ({where.file.rsplit('/', 1)[-1]}:{where.line})" if where else ""
    return f"{finding.severity} {finding.code} {bounded(finding.message)}{place}"
