"""From what was seen to the report: the rules' judgement of each subject, and a verdict on all.
Pure, so that a saved run is judged by the same code as a live one.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any

from envdoctor.analysis import drawing, episodes, services
from envdoctor.analysis.growth.reports import summarise
from envdoctor.analysis.worker_cost import costs
from envdoctor.model.actions import ACTIONS_FACT, ActionSource, PlayedActions, played_of
from envdoctor.model.facts import Described, Known, Machine, Refused, Survey
from envdoctor.model.facts.decoding import decoded
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Finding, Location, Skipped
from envdoctor.model.named_places import NamedPlaces
from envdoctor.model.report import Report, StorageReport, SubjectReport
from envdoctor.model.subject import ENVIRONMENT, Subject
from envdoctor.model.trace import INTERRUPTED, Trace
from envdoctor.model.training import training_in
from envdoctor.rules.engine.judging import Judgement, judge
from envdoctor.rules.engine.registry import Rule
from envdoctor.rules.evidence import faults
from envdoctor.verdict import triage
from envdoctor.verdict.remedies import fix_in, tried_remedies, with_code

KEEPS = "the function of --actions keeps it"
MIXED = "the function of --actions keeps things, too, and whose this is cannot be told"


@dataclass(frozen=True)
class RunEvidence:
    """All that was seen of one subject. `machine` is what a run may use there, {cores, memory in
    bytes}; `read` is what the doctor itself found out for the rules, of undefined names; `skipped`
    what was left out and why. `leak_checked`: growth was looked for with all effort. `seconds` is
    what it took; `probes` how many of its processes began in which way.
    """

    subject: Subject
    traces: Sequence[Trace]
    machine: Mapping[str, object] = field(default_factory=dict)
    read: Mapping[str, object] = field(default_factory=dict)
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
