"""From what was seen to the report: the rules' judgement of each subject, and a verdict on all.
Pure, so that a saved run is judged by the same code as a live one.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from envdoctor.analysis import drawing, episodes, services
from envdoctor.analysis.growth.reports import summarise
from envdoctor.analysis.worker_cost import costs
from envdoctor.model.actions import ACTIONS_FACT, PlayedActions, played_of
from envdoctor.model.facts import Described, Known, Machine, Refused, Survey
from envdoctor.model.facts.decoding import decoded
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Skipped
from envdoctor.model.report import Report, StorageReport, SubjectReport
from envdoctor.model.subject import ENVIRONMENT, Subject
from envdoctor.model.trace import INTERRUPTED, Trace
from envdoctor.model.training import training_in
from envdoctor.rules.engine.judging import Judgement, judge
from envdoctor.rules.engine.registry import Rule
from envdoctor.rules.evidence import faults
from envdoctor.verdict import triage
from envdoctor.verdict.given_functions import without_functions
from envdoctor.verdict.remedies import fix_in, tried_remedies, with_code


@dataclass(frozen=True)
class RunEvidence:
    """All that was seen of one subject. `machine` is what a run may use there, {cores, memory in
    bytes}; `read` is what the doctor itself found out for the rules, of undefined names; `skipped`
    what was left out and why. `leak_checked`: growth was looked for with all effort. `seconds` is
    what it took; `probes` how many of its processes began in which way.
    """

    subject: Subject
    traces: Sequence[Trace]
    machine: Mapping[str, Any] = field(default_factory=dict)
    read: Mapping[str, Any] = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()
    leak_checked: bool = False
    seconds: float = 0.0
    probes: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def known(self) -> Known:
        """The facts about the subject that hold everywhere: the survey, then the description of the
        first instance.
        """
        return _decoded(self._known)

    @cached_property
    def _known(self) -> dict[str, Any]:
        """The value as the journal has it: to decode it takes long."""
        known: dict[str, object] = {}
        for trace in self.traces:
            known.update(trace.fact(Survey.KEY) or {})
            known.update(trace.fact(Described.KEY) or {})
            refused = trace.fact(Refused)
            known.update({Refused.KEY: refused.reason} if refused else {})
        return known

    @property
    def room(self) -> Machine:
        """The resources that a run may use there."""
        return decoded(Machine, self.machine)

    def known_with(self, read: Mapping[str, Any]) -> Known:
        """Return the facts together with the doctor's own: both sides may say why a rule cannot be
        judged.
        """
        known = dict(self._known)
        for key, value in read.items():
            both = isinstance(known.get(key), dict) and isinstance(value, dict)
            known[key] = {**known[key], **value} if both else value
        return _decoded({**known, "machine": dict(self.machine)})


_last: list[tuple[dict[str, object], Known]] = [({}, Known())]


def _decoded(values: dict[str, object]) -> Known:
    """Decode what is known, once for as long as the same is known: a run is judged after each of
    its scenarios.
    """
    if values != _last[0][0]:
        _last[0] = (values, Known.decode(values))
    return _last[0][1]


@dataclass(frozen=True)
class Examined:
    """One subject and what the rules say of it."""

    evidence: RunEvidence
    judgement: Judgement

    @property
    def report(self) -> SubjectReport:
        """Its share of the report."""
        return _subject_report(self.evidence)


@dataclass(frozen=True)
class Run:
    """The values that all subjects of a run share. `platform` is of the machine that played it,
    `seconds` its duration. `leak_checked`: only growth was examined. `incomplete` says why a part
    of the examination is missing, if so.
    """

    seed: int = 0
    seconds: float = 0.0
    command: tuple[str, ...] = ()
    platform: Mapping[str, str] = field(default_factory=dict)
    version: str = ""
    leak_checked: bool = False
    incomplete: str = ""


class ObservationRecorder:
    """Gets what is seen, as it is seen; `trouble` is what went wrong with keeping it. This
    one forgets it.
    """

    trouble = ""

    def begin(self, run: Run, codes: tuple[str, ...]) -> None:
        """The run begins; rules of these codes will judge it."""

    def trace(self, subject: Subject, trace: Trace) -> None:
        """A scenario is over."""

    def over(self, observations: RunEvidence) -> None:
        """All of a subject was seen."""

    def end(self, report: Report) -> None:
        """The run is over."""


#: The families all of whose rules have something to say of a function.
FAMILIES_OF_FUNCTIONS = ("LEK", "DOC")


def rules_for(subject: Subject, rules: Iterable[Rule]) -> Iterable[Rule]:
    """The rules that can be judged of a subject at all."""
    if subject.kind == ENVIRONMENT:
        return rules
    return [
        rule for rule in rules if rule.of_functions or rule.code.startswith(FAMILIES_OF_FUNCTIONS)
    ]


def judged(observations: RunEvidence, rules: Iterable[Rule]) -> Judgement:
    """Return the rules' judgement of a subject."""
    known, rules = (
        observations.known_with(observations.read),
        rules_for(observations.subject, rules),
    )
    judgement = judge(observations.subject.text, known, observations.traces, rules)
    judgement = without_functions(judgement, observations.subject, known)
    tried = tried_remedies(observations.read)
    findings = tuple(with_code(finding, tried) for finding in judgement.findings)
    return replace(judgement, findings=findings)


def report_on(run: Run, examined: Sequence[Examined]) -> Report:
    """The report on a run, with a verdict that stands until a policy is applied."""
    findings = triage.order(
        finding for examined in examined for finding in examined.judgement.findings
    )
    traces = tuple(
        (examined.evidence.subject.text, trace)
        for examined in examined
        for trace in examined.evidence.traces
    )
    report = Report(
        subjects=tuple(examined.report for examined in examined),
        findings=findings,
        passed=tuple(item for examined in examined for item in examined.judgement.passed),
        skipped=tuple(
            item
            for examined in examined
            for item in (*examined.judgement.skipped, *examined.evidence.skipped)
        ),
        traces=traces,
        verdict="",
        seed=run.seed,
        seconds=run.seconds,
        command=run.command,
        platform=run.platform,
        version=run.version,
        interrupted=any(trace.outcome.kind == INTERRUPTED for _, trace in traces),
        leak_checked=run.leak_checked,
        incomplete=run.incomplete,
    )
    return replace(report, verdict=triage.verdict_on(report))


def _subject_report(observations: RunEvidence) -> SubjectReport:
    known, traces = observations.known, observations.traces
    return SubjectReport(
        spec=observations.subject.text,
        env_class=known.env_class,
        source=known.source,
        managers=tuple(dict.fromkeys(trace.scenario.place for trace in traces)),
        frameworks=known.frameworks,
        python=known.executable,
        lacks=known.lacks,
        seconds=observations.seconds,
        growth=summarise(traces, quick=not observations.leak_checked),
        worker_costs=costs(traces, observations.room),
        faults=faults.summarise(traces, known.frameworks),
        storages=_storages(traces),
        episodes=episodes.summarise(traces),
        training=next(filter(None, map(training_in, traces)), None),
        actions=next(filter(None, map(_actions_in, traces)), None),
        drawing=drawing.summarise(traces),
        command=known.command or shlex.quote(observations.subject.text),
        probes=tuple(observations.probes.items()),
        services=services.summarise(traces),
        fix=fix_in(observations.read),
    )


def _actions_in(trace: Trace) -> PlayedActions | None:
    return played_of(trace.fact(ACTIONS_FACT))


def _storages(traces: Sequence[Trace]) -> tuple[StorageReport, ...]:
    if not any(trace.scenario.traits.fills_storage for trace in traces):
        return ()
    # Few runs have any.
    from envdoctor.analysis.replay_buffers import summarise as summarise_storages

    return summarise_storages(traces)
