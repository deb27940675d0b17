"""The examination: request in, report out. Plays the plan in probes, asks the rules, plays what they want to know, asks again."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from envdoctor import __version__, planning, triage
from envdoctor.capacity import costs
from envdoctor.errors import NothingToCheck, UsageError
from envdoctor.growth import summarise
from envdoctor.hunting import QUICK, Effort, hunt, hunt_managed
from envdoctor.model.finding import ERROR, Finding, Location, Skipped
from envdoctor.model.report import Report, SubjectReport
from envdoctor.model.scenario import DIRECT, Scenario
from envdoctor.model.subject import Subject
from envdoctor.model.trace import INTERRUPTED, TIMED_OUT, Outcome, Trace
from envdoctor.rules import faults
from envdoctor.rules.judging import Judgement, judge
from envdoctor.rules.registry import Entry, Rule, catalogue
from envdoctor.supervise.head_start import HeadStart
from envdoctor.supervise.interruption import stopping
from envdoctor.supervise.limits import Limits
from envdoctor.supervise.session import Session

if TYPE_CHECKING:
    from envdoctor.sources import Proofreading

Progress = Callable[[str], None]

GROWTH = "LEK"  # the rules that need the hunt for growth
ROUNDS = 2  # of what findings make worth playing: behind one obstacle (shared memory) there may be another (the registration)
PROOFREAD = "API010"  # the rule that needs the subject's own text
Meanwhile = Callable[[], object]


@dataclass(frozen=True)
class Request:
    """What the command line asks for. Empty tuples mean all. `timeout` is seconds for one verb. With `hunt`, growth is all that
    is looked for, with that effort; else it is hunted quickly beside all the rest. With `faults`, managers are played with
    environments that fail on purpose, too.
    """

    subjects: tuple[Subject, ...]
    python: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    managers: tuple[str, ...] = ()
    start_methods: tuple[str, ...] = ()
    fail_on: str = ERROR
    timeout: float = 30.0
    seed: int = 0
    jobs: int = 1
    verbosity: int = 0
    command: tuple[str, ...] = ()
    hunt: Effort | None = None
    faults: bool = False


@dataclass(frozen=True)
class Examined:
    """One subject's share of the report."""

    report: SubjectReport
    judgement: Judgement
    traces: tuple[Trace, ...]


@dataclass
class Play:
    """Plays scenarios of one subject in a session and keeps their traces. Stops when the user does."""

    session: Session
    subject: Subject
    seed: int
    spaces: Path
    progress: Progress
    traces: list[Trace] = field(default_factory=list)
    proofreading: Proofreading | None = None

    def proofread(self, files: Mapping[str, Any]) -> None:
        """Have the subject's own text read while the probe plays on."""
        from envdoctor.sources import Proofreading  # later than the first probe: it has to be parsed, too

        self.proofreading = Proofreading(files)

    def __call__(self, scenario: Scenario) -> Trace | None:
        """The trace, or None when the run was interrupted before."""
        if self.interrupted:
            return None
        self.progress(f"{self.subject.text} {place_of(scenario)} {scenario.name}")
        trace = self.session.play(self.subject, scenario, self.seed, self.spaces)
        self.traces.append(trace)
        return trace

    @property
    def interrupted(self) -> bool:
        """Whether the user ended the run."""
        return bool(self.traces) and self.traces[-1].outcome.kind == INTERRUPTED


@dataclass
class Ward:
    """What the subjects of one run share. `stop` ends the sessions of all, also those that begin later."""

    request: Request
    progress: Progress
    meanwhile: Meanwhile
    ahead: HeadStart
    sessions: list[Session] = field(default_factory=list)
    stopped: bool = False
    _selected: tuple[Entry, ...] = field(init=False)
    _loading: Thread = field(init=False)

    def __post_init__(self) -> None:
        """Import what takes long, while the probes have to be waited for anyway. Raises UsageError for a selection that means nothing."""
        self._selected = triage.select_rules(catalogue(), self.request.select, self.request.ignore)
        self._loading = Thread(target=self._load, daemon=True)
        self._loading.start()

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the rules that were selected; known before any of them is imported."""
        return tuple(entry.code for entry in self._selected)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that were selected."""
        self._loading.join()
        return tuple(entry.load() for entry in self._selected)

    def _load(self) -> None:
        with suppress(Exception):  # it fails again, and is told, for whoever needs it
            self.meanwhile()
            for entry in self._selected:
                entry.load()

    def admit(self, session: Session) -> None:
        """Count a session in."""
        self.sessions.append(session)
        if self.stopped:
            session.request_stop()

    def stop(self) -> None:
        """The user wants to end."""
        self.stopped = True
        for session in self.sessions:
            session.request_stop()


def place_of(scenario: Scenario) -> str:
    """`[gymnasium-async, spawn]`."""
    return f"[{', '.join(part for part in (*scenario.place, 'control' if scenario.control else None) if part)}]"


def examine(request: Request, progress: Progress, meanwhile: Meanwhile = lambda: None, ahead: HeadStart | None = None) -> Report:
    """Examine every subject. `meanwhile` is called while the first probe starts, for what the caller has to load anyway;
    `ahead` is what the caller began before it knew the request, and stays the caller's to close.

    Raises UsageError for a selection or SPEC that means nothing, NothingToCheck for an empty file.
    """
    began = time.monotonic()
    with nullcontext(ahead) if ahead else HeadStart() as begun:
        ward = Ward(request, progress, meanwhile, begun)
        with stopping(ward.stop):
            examined = _one_by_one(ward) if request.jobs == 1 else _side_by_side(ward)
    return _report(request, examined, time.monotonic() - began)


def _one_by_one(ward: Ward) -> list[Examined]:
    """In this thread, without the costs of a pool."""
    examined: list[Examined] = []
    for subject in ward.request.subjects:
        examined.append(_examine_subject(ward, subject))
        if any(trace.outcome.kind == INTERRUPTED for trace in examined[-1].traces):
            break
    return examined


def _side_by_side(ward: Ward) -> list[Examined]:
    """In threads. Ctrl-C reaches this one, which tells every session."""
    from concurrent.futures import ThreadPoolExecutor, wait  # most runs have one subject

    with ThreadPoolExecutor(max_workers=ward.request.jobs) as pool:
        futures = [pool.submit(_examine_subject, ward, subject) for subject in ward.request.subjects]
        try:
            wait(futures)
        except KeyboardInterrupt:
            ward.stop()
        return [future.result() for future in futures]


def _examine_subject(ward: Ward, subject: Subject) -> Examined:
    began, request, ahead = time.monotonic(), ward.request, ward.ahead
    python, limits = request.python or sys.executable, Limits(timeout=request.timeout)
    with Session(python, limits, ahead.bundle, ahead.directory, ahead.directory, ahead.take(python)) as session:
        ward.admit(session)
        play = Play(session, subject, request.seed, session.directory / "spaces.pkl", ward.progress)
        skipped = _play_all(play, ward)
        rules = ward.rules
        judgement = _judge(play, rules)
        for _ in range(0 if request.hunt else ROUNDS):
            follow_ups = planning.follow_ups(judgement.findings, play.traces)
            if not follow_ups:
                break
            for scenario in follow_ups:
                if scenario.name in planning.FRESH:
                    session.renew()
                play(scenario)
            judgement = _judge(play, rules)
        if request.faults:
            _inject(play)
            judgement = _judge(play, rules)
    report = _subject_report(subject, play.traces, time.monotonic() - began, quick=request.hunt is None)
    report = replace(report, worker_costs=costs(play.traces, _machine(play)))
    whole = Judgement(judgement.findings, judgement.passed, judgement.skipped + skipped)
    return Examined(report, whole, tuple(play.traces))


def _play_all(play: Play, ward: Ward) -> tuple[Skipped, ...]:
    """The plan, in order: what it is, its plain life, then the rest as far as the subject can be built at all. Growth is
    hunted only where a rule asks for it: that takes longer than all the rest.
    """
    request = ward.request
    survey = play(planning.SURVEY)
    if survey is None or not survey.fact("survey", {}).get("found"):
        _refuse(survey, play.session.python)
        return ()
    life = play(planning.PLAIN)
    described = life.fact("described") if life is not None else None
    if life is None or described is None:
        return ()
    if PROOFREAD in ward.codes and not request.hunt:
        play.proofread(life.fact("sources", {}))
    # Right after its plain life: what the other scenarios keep on purpose would spoil the meters.
    if request.hunt or any(code.startswith(GROWTH) for code in ward.codes):
        hunt(play, request.hunt or QUICK, bool(described.get("render_mode")), play.traces)
    for scenario in () if request.hunt else planning.direct(described):
        play(scenario)
    _refuse_unknown_managers(request.managers, survey.fact("survey")["managers"])
    scenarios, skipped = planning.managed(play.subject.text, survey.fact("survey"), described, request.managers, request.start_methods)
    if request.hunt:
        hunt_managed(play, request.hunt, list(dict.fromkeys(scenario.place for scenario in scenarios)), play.traces)
        return skipped if request.managers != (DIRECT,) else ()
    for scenario in scenarios:
        play(scenario)
    return skipped + _play_beside(play, described, ward.rules)


def _play_beside(play: Play, described: Mapping[str, Any], rules: tuple[Rule, ...]) -> tuple[Skipped, ...]:
    """What is played for the sake of comparison, and what few people do with an environment, where a rule asks for it; and the
    exit of Python, last in the probe that played the rest.
    """
    asked = any(rule.code in planning.ASIDE_CODES for rule in rules)
    aside, skipped = planning.aside(play.subject.text, described, play.traces) if asked else ((), ())
    compared = planning.comparisons(described, play.traces) if any(rule.compares for rule in rules) else ()
    if any(scenario.spends_its_probe for scenario in aside):
        play.session.expect_parting(play.subject.directory)
    for scenario in sorted((*compared, *aside, planning.EXIT), key=lambda scenario: scenario.hash_seed):  # as few processes as can be
        play(scenario)
    return skipped


def _inject(play: Play) -> None:
    """Faults in workers, as long as what was seen makes others worth playing."""
    while (scenarios := planning.faults(play.traces)) and not play.interrupted:
        for scenario in scenarios:
            play(scenario)


def _refuse(survey: Trace | None, python: str) -> None:
    """End the run with a sentence where SPEC or interpreter are at fault; what is an illness is left to the rules."""
    if survey and not survey.events and survey.outcome.kind != INTERRUPTED:
        raise UsageError(f"{python} is no Python that can examine anything: {_how_it_failed(survey.outcome)}")
    found: Mapping[str, Any] = survey.fact("survey", {}) if survey else {}
    if found.get("why") == "no-environment":
        raise NothingToCheck(found["message"])
    if found.get("why") == "several":
        raise UsageError(f"{found['message']}; name one of them: {', '.join(found['candidates'])}")
    if found.get("why") in ("not-callable", "no-file"):
        raise UsageError(found["message"])


def _how_it_failed(outcome: Outcome) -> str:
    """Its last words, or else how it ended."""
    if outcome.stderr.strip():
        return outcome.stderr.strip().splitlines()[-1]
    if outcome.kind == TIMED_OUT:
        return f"it said nothing for {outcome.seconds:.0f} s"
    return outcome.reason or f"it ended with {outcome.signal or f'exit code {outcome.exit_code}'} and said nothing"


def _refuse_unknown_managers(wanted: tuple[str, ...], known: Mapping[str, Any]) -> None:
    for name in wanted:
        if name != "direct" and name not in known:
            raise UsageError(f"no manager is called {name}; there are direct, {', '.join(known)}")


def _judge(play: Play, rules: tuple[Rule, ...]) -> Judgement:
    known, read = _knowledge(play.traces), play.proofreading.knowledge() if play.proofreading else {}
    unjudged = {**known.get("unjudged", {}), **read.get("unjudged", {})}
    return judge(play.subject.text, {**known, **read, "unjudged": unjudged, "machine": _machine(play)}, play.traces, rules)


def _machine(play: Play) -> dict[str, int]:
    """What a run may use here."""
    return {"cores": play.session.limits.cores, "memory": play.session.limits.memory}


def _knowledge(traces: list[Trace]) -> dict[str, Any]:
    """What is known of the subject everywhere: the survey, then the description of the first instance."""
    known: dict[str, Any] = {}
    for trace in traces:
        known.update(trace.fact("survey") or {})
        known.update(trace.fact("described") or {})
    return known


def _subject_report(subject: Subject, traces: list[Trace], seconds: float, quick: bool) -> SubjectReport:
    known = _knowledge(traces)
    source = known.get("source")
    return SubjectReport(
        spec=subject.text,
        env_class=known.get("env_class", ""),
        source=Location(source["file"], source["line"], source.get("function", "")) if source else None,
        managers=tuple(dict.fromkeys(trace.scenario.place for trace in traces)),
        frameworks=known.get("frameworks", {}),
        python=known.get("executable", ""),
        lacks=tuple(known.get("lacks", ())),
        seconds=seconds,
        growth=summarise(traces, quick),
        faults=faults.summarise(traces, known.get("frameworks", {})),
    )


def _report(request: Request, examined: list[Examined], seconds: float) -> Report:
    findings: tuple[Finding, ...] = triage.order(finding for one in examined for finding in one.judgement.findings)
    passed = tuple(item for one in examined for item in one.judgement.passed)
    skipped = tuple(item for one in examined for item in one.judgement.skipped)
    traces = tuple((one.report.spec, trace) for one in examined for trace in one.traces)
    return Report(
        subjects=tuple(one.report for one in examined),
        findings=findings,
        passed=passed,
        skipped=skipped,
        traces=traces,
        verdict=triage.verdict(findings, (one for one in passed if not request.hunt or one.code.startswith("LEK"))),
        seed=request.seed,
        seconds=seconds,
        command=request.command,
        platform=dict(_platform()),
        version=__version__,
        interrupted=any(trace.outcome.kind == INTERRUPTED for _, trace in traces),
    )


def _platform() -> Iterator[tuple[str, str]]:
    yield "system", platform.system()
    yield "release", platform.release()
    yield "machine", platform.machine()
    yield "python", platform.python_version()
