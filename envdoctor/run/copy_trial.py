"""One play of a copy with edits: what is played of it, and whether the rules find less, and nothing
new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from envdoctor.analysis.growth.sides import INSTANCE, LONG
from envdoctor.model.errors import ErrorValue, Frame, one_line
from envdoctor.model.evidence import BoundAddress, Growing, PlayedScenario, read_evidence
from envdoctor.model.facts import Described, Survey
from envdoctor.model.finding import NOTE, Finding, Passed, Skipped
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import DIRECT, FAILING_RESET, Scenario, verb_name
from envdoctor.model.trace import EXITED, FINISHED, INTERRUPTED, LOST, SIGNALLED, Trace
from envdoctor.model.traits import WHOLE_EPISODES
from envdoctor.plan import scenarios as planning
from envdoctor.plan import slow_calls
from envdoctor.plan.comparisons import played_again
from envdoctor.plan.episodes import steps_followed
from envdoctor.plan.leak_check import check_leaks
from envdoctor.plan.scenarios import PLAIN
from envdoctor.rules.engine.judging import Judgement
from envdoctor.rules.engine.registry import Rule
from envdoctor.rules.evidence.copies import is_made_now, still_refused
from envdoctor.run.supervise.session import Session
from envdoctor.verdict.diagnosis import RunEvidence, judged
from envdoctor.verdict.triage import GROWTH

RAISE = "raise "
RAISED = "raised"
ENDS = ("ended", RAISED)  # of a call
STAYS = "the finding would stay"
UNSEEN = "whether the finding would be gone is not known"
LEAK = "leak"  # the scenario of repeated cycles
IN_A_ROW = 2  # whole episodes of one instance, in which growth at their ends is tried
BOTH_SIDES = 3.0  # times as long, for cycles and for an instance that stays open
MAX_PLACES = 2  # managers under which a remedy is played, besides without one

Where = tuple[str, str, str | None]  # code, manager, start method
NONE: Counter[Where] = Counter()
RESETTING = ("cycle", "episode")  # operations of growth: each of them resets once


@dataclass
class CopyTrial:
    """One play of a copy."""

    session: Session
    evidence: RunEvidence
    rules: tuple[Rule, ...]
    seed: int = 0
    is_over: Callable[[], bool] = lambda: False
    unedited: bool = False
    read: dict[str, object] = field(default_factory=dict)
    episode: int = 0  # steps, where a finding was made in whole episodes
    traces: list[Trace] = field(default_factory=list)
    after: Judgement = field(default_factory=Judgement)

    def play(self, scenario: Scenario) -> Trace:
        """Play one scenario with the copy."""
        if planning.wants_fresh(scenario, self.traces):
            self.session.renew()
        spaces = self.session.directory / "spaces.pkl"
        trace = self.session.play(self.evidence.subject, scenario, self.seed, spaces)
        self.traces.append(trace)
        return trace

    def play_for(self, findings: Sequence[Finding]) -> None:
        """The plain life, what the findings' rules need, the other short scenarios, and the places
        in which the findings were made.
        """
        codes = {finding.code for finding in findings}
        rules = [rule for rule in self.rules if rule.code in codes]
        asked = {name for rule in rules for name in (*rule.needs, *dict(rule.looks_at))}
        asked |= {read_evidence(PlayedScenario, each.evidence).scenario for each in findings}
        sensors = {sensor for rule in rules for sensor in rule.sensors}
        survey = self.play(planning.survey_of_copy(asked, sensors)).fact(Survey)
        if survey is None or not survey.is_found:
            return
        described = self.play(planning.PLAIN).fact(Described)
        if described is None:
            return
        if any(name.startswith(LEAK) for name in asked):
            self._check_leaks(findings, bool(described.render_mode))
        # Few use a closed instance, and where that hangs, nothing else would be played.
        proving = planning.proving(described, asked)
        if not self._play_each(each for each in proving if not each.traits.reopens):
            return
        for scenario in planning.failing(self.traces) if FAILING_RESET in asked else ():
            self.play(scenario)
        for place in _places(findings):
            self.play(planning.vector_life(*place))
        places = {(DIRECT, None), *_places(findings)}
        again = played_again(rules, places, self.evidence.traces, self.traces)
        if self._play_each(again):
            self._play_each(each for each in proving if each.traits.reopens)

    def _play_each(self, scenarios: Iterable[Scenario]) -> bool:
        """Play scenarios. Return False where one has stopped what would follow."""
        for scenario in scenarios:
            if self._stops:
                return False
            self.play(scenario)
        return True

    @property
    def _stops(self) -> bool:
        goes_on = (FINISHED, EXITED, SIGNALLED) if self.unedited else (FINISHED,)
        return self.is_over() or self.traces[-1].outcome.kind not in goes_on

    def _check_leaks(self, findings: Sequence[Finding], renders: bool) -> None:
        """Growth; where one of the findings was made in whole episodes, with several of them in a
        row: who trains closes an instance after thousands.
        """
        sides = {read_evidence(Growing, finding.evidence).side for finding in findings}
        if LONG in sides:
            self.episode = steps_followed(self.evidence.traces)
        row = IN_A_ROW if self.episode else 1
        effort = slow_calls.effort_of_trial(self.evidence.traces)
        if INSTANCE in sides:  # cycles of slow steps leave no time for resets of an open instance
            effort = replace(effort, seconds=BOTH_SIDES * effort.seconds)
        check_leaks(self.play, effort, renders, self.traces, episode=self.episode, in_a_row=row)

    @property
    def lacks(self) -> str:
        """The reason why a scenario in which the findings were made was not played, or nothing."""
        run = any(trace.scenario.traits.growth == WHOLE_EPISODES for trace in self.traces)
        return (
            "the time did not suffice to try it in whole episodes"
            if self.episode and not run
            else ""
        )

    def stays(self, findings: Iterable[Finding]) -> str:
        """The reason why these findings are not gone: one is there, or could not be judged."""
        now = counted(self.after.findings)
        reasons = {where_of(each): each.reason for each in self.after.skipped}
        for finding in findings:
            where = where_of(finding)
            if not now[where] and reasons.get(where):
                return f"{UNSEEN}: {reasons[where]}"
        return STAYS

    def judge(self) -> None:
        """Let the rules judge what was played; managers are compared with their controls."""
        controls = [
            trace
            for trace in self.evidence.traces
            if trace.scenario.control and trace.scenario.place in self._places
        ]
        observations = replace(self.evidence, traces=(*self.traces, *controls), read=self.read)
        self.after = judged(observations, self.rules)

    @property
    def _places(self) -> set[tuple[str, str | None]]:
        return {trace.scenario.place for trace in self.traces}

    def brings(self, before: Judgement, unedited: Counter[Where] = NONE) -> str:
        """Return the findings that are new, or more than they were; empty if all is well. Notes do
        not withhold a cure where they are on unusual uses, or could not be made before; nor does
        growth where that had not passed, of a line that is as it was; nor an error that a line of
        the cure raises.
        """
        earlier, passed = counted(before.findings) | unedited, set(map(where_of, before.passed))
        known = {*passed, *map(where_of, before.findings)}
        rare = {rule.code for rule in self.rules if rule.rare_use}
        instead = raised_instead(self.traces, self.evidence.subject.copies)
        raising = newly_raised(self.traces, self.evidence.traces, instead)
        if raising:
            return f"with it, {raising}"
        worse = [
            finding
            for finding in self.after.findings
            if finding.severity != NOTE or (finding.code not in rare and where_of(finding) in known)
            if where_of(finding) in passed or not self._was_hidden(finding)
            if not any(text in finding.message for text in instead)
        ]
        new = [finding for finding in worse if not _grew_before(finding, before)]
        for where, number in counted(worse).items():
            first = next((finding for finding in new if where_of(finding) == where), None)
            if first is not None and number > earlier[where]:
                is_hidden = first.code.startswith(GROWTH) and where not in known
                verb = "it would show" if is_hidden else "it would bring"
                return f"{verb} {first.code}: {first.message}"
        return ""

    def _was_hidden(self, finding: Finding) -> bool:
        return stems_from_original(finding, self.evidence.subject.copies)

    def sees(self, findings: Sequence[Finding]) -> list[Finding]:
        """Those of the findings whose rule makes one in the same place; those of a place that is
        not played count as seen, also where a hang or a death ended the plays before it.
        """
        now, wanted = counted(self.after.findings), {(DIRECT, None), *_places(findings)}
        if any(trace.outcome.kind not in (FINISHED, INTERRUPTED, LOST) for trace in self.traces):
            wanted &= self._places
        return [
            each for each in findings if now[where_of(each)] or where_of(each)[1:] not in wanted
        ]

    def cures(self, findings: Sequence[Finding], before: Judgement) -> bool:
        """Return True if these findings are gone: their rule passes where they were made, or makes
        fewer of them, and none that was not there before: the rest may bear another name. A place
        that was not played, though it should have been, is not cured.
        """
        if self.lacks or still_refused(findings, self.traces):
            return False
        passed = set(map(where_of, self.after.passed))
        known = {finding.fingerprint for finding in before.findings}
        left = {finding.fingerprint for finding in self.after.findings}
        others = {where_of(each) for each in self.after.findings if each.fingerprint not in known}
        earlier, now = counted(before.findings), counted(self.after.findings)
        wanted = {(DIRECT, None), *_places(findings)}
        for finding in findings:
            where = where_of(finding)
            fewer = 0 < now[where] < earlier[where] and where not in others
            fewer = fewer and finding.fingerprint not in left
            gone = where in passed or fewer or is_made_now(finding, self.traces)
            gone = gone or (not now[where] and self._is_played_as_far(where))
            if where[1:] in wanted and not gone:
                return False
        return True

    def _is_played_as_far(self, where: Where) -> bool:
        """Return True where the life in a place raises in calls that raised before, and in no
        other: a second instance without a port of its own still fails, and what the first one
        leaves is read as before.
        """
        code, manager, method = where
        rules = [rule for rule in self.rules if rule.code == code]
        life = planning.vector_life(manager, method)
        if any({*rule.needs, *dict(rule.looks_at)} != {life.name} for rule in rules):
            return False
        before, now = (_calls(each, life) for each in (self.evidence.traces, self.traces))
        return (
            any(raised for _, raised in now)
            and [verb for verb, _ in before] == [verb for verb, _ in now]
            and all(was or not raised for (_, was), (_, raised) in zip(before, now, strict=True))
        )


def _calls(traces: Iterable[Trace], scenario: Scenario) -> list[tuple[str, bool]]:
    """The calls of a scenario, and whether each has raised."""
    trace = next((each for each in traces if each.scenario == scenario), None)
    records = trace.records(VerbRecord) if trace else ()
    return [(each.verb, each.state == RAISED) for each in records if each.state in ENDS]


def _places(findings: Iterable[Finding]) -> list[tuple[str, str | None]]:
    """Return the other places of the findings, the first ones of each rule."""
    places: dict[str, dict[tuple[str, str | None], None]] = {}
    for finding in findings:
        if finding.manager != DIRECT:
            place = (finding.manager, finding.start_method)
            places.setdefault(finding.code, {})[place] = None
    first = (list(each)[:MAX_PLACES] for each in places.values())
    return list(dict.fromkeys(chain.from_iterable(first)))


def _grew_before(finding: Finding, before: Judgement) -> bool:
    """Return True for growth that was there before: of one rule and place, and as much for each
    reset() or step() at most. Which sides of a life show it is a question of time.
    """
    now = _growth(finding)
    return bool(now) and any(
        where_of(each) == where_of(finding)
        and _holder(each) == _holder(finding)
        and _is_within(now, _growth(each))
        for each in before.findings
    )


def _holder(finding: Finding) -> str:
    """The chain that ends in what grows; nothing where it is not known."""
    kept = finding.key[-1] if finding.key else ""
    return kept if "." in kept else ""


def _is_within(now: Mapping[str, float], earlier: Mapping[str, float]) -> bool:
    return all(value <= earlier.get(operation, 0.0) for operation, value in now.items())


def _growth(finding: Finding) -> dict[str, float]:
    """The growth for each operation; what a cycle or an episode adds is that of its reset()."""
    growth = read_evidence(Growing, finding.evidence).per_operation
    return {"reset" if key in RESETTING else key: value for key, value in growth.items()}


def is_seen_once(finding: Finding) -> bool:
    """Return True for growth, which was followed through blocks of its own, and for a port that the
    kernel keeps: after the first play of it, not even a first instance can be made.
    """
    return (
        finding.code.startswith(GROWTH)
        or read_evidence(BoundAddress, finding.evidence).address_in_use
    )


def counted(findings: Iterable[Finding]) -> Counter[Where]:
    """The number of findings by rule and place."""
    return Counter(map(where_of, findings))


def where_of(finding: Finding | Passed | Skipped) -> Where:
    """The rule and the place of a finding, or of none."""
    return (finding.code, finding.manager, finding.start_method)


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


def newly_raised(traces: Iterable[Trace], before: Iterable[Trace], instead: set[str]) -> str:
    """Name the call that raises in the first life without a vectorizer, where none did `before`;
    empty where none does. Errors that are raised `instead` of a hang are wanted.
    """
    earlier, now = _plain(before), _plain(traces)
    was_well = (
        earlier is not None and earlier.outcome.kind == FINISHED and not any(_raised(earlier))
    )
    for record in _raised(now) if was_well and now is not None else ():
        if one_line(record.error) not in instead:
            return f"{verb_name(record.verb)}() raises {one_line(record.error)}"
    return ""


def _plain(traces: Iterable[Trace]) -> Trace | None:
    """The plain life, where it was played."""
    by_name = {(trace.scenario.name, trace.scenario.place): trace for trace in traces}
    return by_name.get((PLAIN.name, PLAIN.place))


def _raised(trace: Trace) -> Iterator[VerbRecord]:
    return trace.records(VerbRecord, state="raised")


def raised_instead(traces: Iterable[Trace], copies: Mapping[str, str]) -> set[str]:
    """The texts of errors that calls of a copy raise by a `raise` that the original has not: it
    waited for ever there. `copies` are the paths of the user's files, with those of the changed
    ones that are played in their place.
    """
    texts = {path: tuple(map(lines_of, (path, copy))) for path, copy in copies.items()}
    raised = (
        record.error for trace in traces for record in _raised(trace) if record.error is not None
    )
    return {one_line(error) for error in raised if _is_by_copy(error, texts)}


def _is_by_copy(error: ErrorValue, texts: Mapping[str, tuple[list[str], ...]]) -> bool:
    return any(
        _is_new_raise(frame, *texts[frame.file]) for frame in error.frames if frame.file in texts
    )


def _is_new_raise(frame: Frame, original: list[str], copy: list[str]) -> bool:
    line = copy[frame.line - 1] if 0 < frame.line <= len(copy) else ""
    return line.strip().startswith(RAISE) and line not in original
