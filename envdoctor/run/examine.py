"""The examination: request in, report out. Plays the plan in probes, asks the rules, plays what
they want to know, asks again.
"""

from __future__ import annotations

import platform
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envdoctor import __version__
from envdoctor.errors import NothingToCheck, UsageError
from envdoctor.model.facts import Called, Described, Refused, Sources, Survey
from envdoctor.model.finding import Skipped
from envdoctor.model.report import Report
from envdoctor.model.scenario import DIRECT, FAILING_RESET, IN_THREAD, OVERWRITTEN, Scenario
from envdoctor.model.subject import ENVIRONMENT, FUNCTION, SOURCE, Subject
from envdoctor.model.trace import FINISHED, INTERRUPTED, TIMED_OUT, Outcome, Trace
from envdoctor.model.traits import OPEN_INSTANCE
from envdoctor.plan import episodes, hangs, planted_faults, slow_calls
from envdoctor.plan import scenarios as planning
from envdoctor.plan.comparisons import comparisons, fails_alone, images
from envdoctor.plan.episodes import Bound
from envdoctor.plan.follow_ups import explaining_growth, follow_ups
from envdoctor.plan.leak_check import LEAK_CHECK, check_leaks
from envdoctor.plan.leak_session import QUICK, Effort, seconds_of
from envdoctor.plan.managed_leak_check import check_leaks_managed
from envdoctor.plan.relaunches import is_hopeless
from envdoctor.request.request import Request
from envdoctor.rules.engine.judging import Judgement
from envdoctor.rules.engine.registry import Entry, Rule, catalogue
from envdoctor.run.announcing import Announcing, Listener
from envdoctor.run.play import Play, Progress, SessionBudget
from envdoctor.run.private_names import private
from envdoctor.run.supervise.head_start import HeadStart
from envdoctor.run.supervise.interruption import stopping
from envdoctor.run.supervise.launcher import Launcher
from envdoctor.run.supervise.limits import Limits
from envdoctor.run.supervise.session import Session
from envdoctor.run.supervise.templates import Templates
from envdoctor.verdict import triage
from envdoctor.verdict.diagnosis import Examined, ObservationRecorder, Run, judged, report_on

if TYPE_CHECKING:
    from envdoctor.plan.replay_buffers import StorageRequest

# Of what findings make worth playing: behind one obstacle (shared memory) there may be another (the
# registration).
ROUNDS = 2
LEAK_SHARE = 0.25  # of the budget, for the search for growth
LEAST_LEFT = 0.5  # of the time for a leak check: what was played before it takes no more
AROUND = 5  # scenarios beside those that are planned by now: replay, a thread, copies, exit
Settle = Callable[[Report], Report]


@dataclass
class RunContext:
    """The state that the subjects of one run share. `stop` ends the sessions of all, also those
    that begin later. To be closed.
    """

    request: Request
    progress: Progress
    ahead: HeadStart
    recorder: ObservationRecorder
    listener: Listener = field(default_factory=Listener)
    settle: Settle | None = None
    sessions: list[Session] = field(default_factory=list)
    stopped: bool = False
    _selected: tuple[Entry, ...] = field(init=False)
    _templates: dict[str, Templates] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise UsageError for a selection that means nothing."""
        self._selected = _asked(
            triage.select_rules(catalogue(), self.request.select, self.request.ignore), self.request
        )

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the rules that were selected; known before any of them is imported."""
        return tuple(entry.code for entry in self._selected)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that were selected."""
        return tuple(entry.load() for entry in self._selected)

    @contextmanager
    def launching(self, request: Request) -> Iterator[Launcher]:
        """Yield the launcher of one subject's probes. Subjects that are examined one after the
        other share the templates of their interpreter.
        """
        python, ahead = request.python or sys.executable, self.ahead
        directory = Path(tempfile.mkdtemp(prefix="l", dir=ahead.directory))
        templates = self._templates.get(python) or Templates(
            python, ahead.bundle, directory, ahead.directory
        )
        if self.request.jobs == 1:
            self._templates[python] = templates
        try:
            forking = None if request.cold else templates
            yield Launcher(python, ahead.bundle, ahead.directory, directory, forking)
        finally:
            if python not in self._templates:
                templates.close()

    def close(self) -> None:
        """End the templates."""
        for templates in self._templates.values():
            templates.close()

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


def _asked(selected: tuple[Entry, ...], request: Request) -> tuple[Entry, ...]:
    """The rules without those on what is not played, which have nothing to say: on trainings, and
    on replay storages where none is filled.
    """
    unasked = {"training": "trainings: `envdoctor watch -- COMMAND` follows one"}
    if request.storage is None:
        unasked["replay"] = "replay storages: `envdoctor leak SPEC --storage NAME` fills one"
    rest = tuple(entry for entry in selected if entry.family not in unasked)
    if selected and not rest:
        raise UsageError(f"{selected[0].code} is about {unasked[selected[0].family]}")
    return rest


def examine(
    request: Request,
    progress: Progress,
    ahead: HeadStart | None = None,
    recorder: ObservationRecorder | None = None,
    settle: Settle | None = None,
    listener: Listener | None = None,
) -> Report:
    """Examine every subject. `ahead` is what the caller began before it knew the request, and stays
    the caller's to close; `recorder` gets what is seen; `settle` has the last word on the report,
    before what is private in it is hidden; `listener` gets findings before the report has them, as
    the rules say them.

    Raises UsageError for a selection or SPEC that means nothing, NothingToCheck for an empty file.
    """
    began, recorder = time.monotonic(), recorder or ObservationRecorder()
    run = Run(
        request.seed,
        command=request.command,
        platform=dict(_platform()),
        version=__version__,
        leak_checked=request.leak_check is not None,
    )
    with (
        nullcontext(ahead) if ahead else HeadStart() as begun,
        closing(
            RunContext(request, progress, begun, recorder, listener or Listener(), settle)
        ) as context,
    ):
        recorder.begin(run, context.codes)
        context.listener.begin(run)
        with stopping(context.stop):
            examined = _one_by_one(context) if request.jobs == 1 else _side_by_side(context)
    report = report_on(replace(run, seconds=time.monotonic() - began), examined)
    recorder.end(report)
    return private(settle(report) if settle else report, request.subjects, request.anonymous)


def _one_by_one(context: RunContext) -> list[Examined]:
    """In this thread, without the costs of a pool."""
    examined: list[Examined] = []
    for subject in context.request.subjects:
        examined.append(_examine_subject(context, subject))
        if any(trace.outcome.kind == INTERRUPTED for trace in examined[-1].evidence.traces):
            break
    return examined


def _side_by_side(context: RunContext) -> list[Examined]:
    """In threads. Ctrl-C reaches this one, which tells every session."""
    from concurrent.futures import ThreadPoolExecutor, wait  # most runs have one subject

    with ThreadPoolExecutor(max_workers=context.request.jobs) as pool:
        futures = [
            pool.submit(_examine_subject, context, subject) for subject in context.request.subjects
        ]
        try:
            wait(futures)
        except KeyboardInterrupt:
            context.stop()
        return [future.result() for future in futures]


def _session(launcher: Launcher, limits: Limits, ahead: HeadStart, **more: Any) -> Session:
    return Session(
        launcher.python,
        limits,
        ahead.bundle,
        ahead.directory,
        ahead.directory,
        launcher=launcher,
        **more,
    )


def _examine_subject(context: RunContext, subject: Subject) -> Examined:
    with context.launching(context.request.of(subject)) as launcher:
        return _examine_with(launcher, context, subject)


def _examine_with(launcher: Launcher, context: RunContext, subject: Subject) -> Examined:
    began, request, ahead = time.monotonic(), context.request.of(subject), context.ahead
    first, check = ahead.take(request.python or sys.executable), request.leak_check
    with _session(launcher, _limits(request), ahead, first=first) as session:
        context.admit(session)
        others = len(context.request.subjects) > 1
        tries = request.try_remedies
        announcing = Announcing(context.listener, lambda: context.rules, others, tries)
        play = Play(
            session,
            subject,
            request.seed,
            session.directory / "spaces.pkl",
            context.progress,
            context.recorder,
            budget=SessionBudget(request.budget, began),
            on_trace=announcing.on_scenario_end,
        )
        skipped = _play_all(play, context)
        rules = context.rules
        so_far = play.evidence()
        judgement = judged(so_far, rules)
        alone = episodes.found_together(judgement.findings, play.traces)
        for life in alone:
            play(life)
        if alone:
            so_far = play.evidence()
            judgement = judged(so_far, rules)
        if not play.interrupted:
            announcing.judged(so_far, judgement)
        for _ in range(ROUNDS):
            wanted = follow_ups(judgement.findings, play.traces, request.start_methods)
            wanted = explaining_growth(wanted, check) if check else wanted
            if not wanted:
                break
            for scenario in wanted:
                play(scenario)
            judgement = judged(play.evidence(), rules)
        if request.faults:
            _inject(play)
            judgement = judged(play.evidence(), rules)
    if request.try_remedies and not play.interrupted:
        announcing.over(judgement)
        judgement = _try_remedies(play, context, launcher, judgement)
    announcing.ended(judgement)
    observations = play.evidence(
        skipped=skipped + tuple(play.skipped),
        leak_checked=bool(request.leak_check and request.leak_check.explain),
        seconds=time.monotonic() - began,
        probes=launcher.probes,
    )
    context.recorder.over(observations)
    return Examined(observations, judgement)


def _try_remedies(
    play: Play, context: RunContext, launcher: Launcher, judgement: Judgement
) -> Judgement:
    """The judgement with the code of remedies that cure their findings in a copy of the user's
    files; without time, the remedies say that they were not tried. A subject without such findings
    costs nothing.
    """
    if not any(finding.remedy.aim for finding in judgement.findings):
        return judgement
    from envdoctor.run.trying import outcomes

    with _session(launcher, play.session.limits, context.ahead) as own:
        context.admit(own)
        play.remedies = outcomes(
            own, play, judgement, context.request, context.rules, context.settle
        )
    return judged(play.evidence(), context.rules)


def _wants_growth(request: Request, context: RunContext) -> bool:
    """Return True if growth is followed: for its own rules, or for another one that needs it and
    was asked for. Leaving out its rules leaves it out.
    """
    asked = [
        rule for rule in context.rules if request.select or rule.code.startswith(triage.GROWTH)
    ]
    return any(rule.meters for rule in asked)


def _limits(request: Request) -> Limits:
    """Those of one subject: what is examined at the same time shares the memory."""
    limits = Limits(timeout=request.timeout)
    return replace(
        limits,
        memory=request.memory or limits.memory // max(1, min(request.jobs, len(request.subjects))),
    )


def _play_all(play: Play, context: RunContext) -> tuple[Skipped, ...]:
    """The plan, in order: what it is, its plain life, then the rest as far as the subject can be
    built at all.
    """
    request = context.request.of(play.subject)
    survey = play(planning.SURVEY)
    surveyed = survey.fact(Survey) if survey else None
    if surveyed is None or not surveyed.is_found:
        _refuse(survey, play.session.python)
        return ()
    if play.subject.kind != ENVIRONMENT and _is_function(play):
        effort = request.leak_check or QUICK
        return _play_function(play, replace(effort, service_count=request.service_count))
    return _play_environment(play, context, surveyed)


def _play_environment(play: Play, context: RunContext, survey: Survey) -> tuple[Skipped, ...]:
    """The rest of the plan, for what can be built. Growth is looked for only where a rule asks for
    it: that takes longer than all the rest.
    """
    request = context.request.of(play.subject)
    life = play(planning.PLAIN)
    described = life.fact(Described) if life is not None else None
    if life is None or described is None or life.fact(Refused):
        return ()
    play.left_out.update(planning.never_played(described))
    once = planning.has_one_episode(described)
    if not request.leak_check and any(rule.about == SOURCE for rule in context.rules):
        play.check_names(life.fact(Sources) or Sources())
    if episodes.lived((DIRECT, None), play.traces):
        play(episodes.alone(request.episodes, once))
    # Right after its plain life: what the other scenarios keep on purpose would spoil the meters.
    if request.leak_check or _wants_growth(request, context):
        effort = _effort(play, request, once)
        if hangs.stopped(life):
            play.left_out[LEAK_CHECK] = hangs.reason(play.traces)
        elif (
            not effort.explain
            and not request.budget
            and (slow := slow_calls.slow_call(play.traces))
        ):
            play.left_out[LEAK_CHECK] = slow
        else:
            check_leaks(play, effort, bool(described.render_mode), play.traces)
    alone = () if request.leak_check else planning.direct(described)
    _refuse_unknown_managers(request.managers, survey.managers)
    scenarios, skipped = planning.managed(
        play.subject.text,
        survey,
        described,
        request.managers,
        request.start_methods,
        request.thorough,
        play.subject.action is not None,
    )
    play.expect(len(alone) + len(scenarios) + AROUND)
    for scenario in alone:
        play(scenario)
    if request.leak_check:
        check_leaks_managed(
            play,
            request.leak_check,
            list(dict.fromkeys(scenario.place for scenario in scenarios)),
            play.traces,
        )
        return (skipped if request.managers != (DIRECT,) else ()) + _store(play, request.storage)
    narrow = request.budget or slow_calls.slow_call(play.traces)
    chosen = planning.most_telling(scenarios) if narrow else scenarios
    skipped += _play_managed(play, survey, tuple(chosen), request.episodes)
    return skipped + _play_beside(play, described, context.rules)


def _play_managed(
    play: Play, survey: Survey, scenarios: tuple[Scenario, ...], bound: Bound
) -> tuple[Skipped, ...]:
    """Play the scenarios under managers; whole episodes last, as far as there is time for them."""
    together = episodes.together(survey, scenarios, play.traces, bound)
    for scenario in scenarios:
        if not is_hopeless(scenario, play.traces):
            play.life(scenario, together.get(scenario))
    everything, skipped = episodes.managed(play.subject.text, survey, scenarios, play.traces, bound)
    for scenario in everything:
        play(scenario)
    return skipped


def _effort(play: Play, request: Request, once: bool) -> Effort:
    """The effort of the search for growth; an environment of one episode (`once`) has no second
    reset().
    """
    if request.storage is not None:  # the loop that fills it keeps an instance open
        play.left_out[OPEN_INSTANCE] = "that is done without --storage"
    effort = replace(
        request.leak_check or QUICK,
        long_lived=request.storage is None and not once,
        service_count=request.service_count,
    )
    seconds = _left_of(effort, play.traces) if effort.explain else effort.seconds
    return replace(effort, seconds=play.budget.share(seconds, LEAK_SHARE))


def _left_of(effort: Effort, earlier: Iterable[Trace]) -> float:
    """The time for a leak check, without what was played before it."""
    return max(effort.seconds - sum(map(seconds_of, earlier)), effort.seconds * LEAST_LEFT)


def _play_function(play: Play, effort: Effort) -> tuple[Skipped, ...]:
    """Call it again and again. It has no close(), no seed and no worker: growth is all that there
    is to see, and only where the first call came back.
    """
    if play.traces[-1].outcome.kind == FINISHED:
        check_leaks(play, replace(effort, long_lived=False), of_function=True)
    return ()


def _is_function(play: Play) -> bool:
    """Call the subject once: whether it is a function to be called again and again, which one that
    does not come back is as well.
    """
    first = play(planning.FIRST_CALL)
    if first is None:
        return True
    called = first.fact(Called) or Called()
    if play.subject.kind == FUNCTION and called.environment:
        raise UsageError(
            f"{play.subject.text} builds an environment: leave --callable out to examine that"
        )
    kind = ENVIRONMENT if called.environment else FUNCTION
    play.subject = replace(play.subject, kind=kind)
    return kind == FUNCTION


def _play_beside(play: Play, described: Described, rules: tuple[Rule, ...]) -> tuple[Skipped, ...]:
    """Play scenarios for comparison, unusual uses of an environment where a rule asks for them, and
    the exit of Python, last in the probe that played the rest.
    """
    paired = next((rule.code for rule in rules if rule.compares_pairs), "")
    asked = paired or any(rule.reports_render_modes for rule in rules)
    optional, skipped = (
        planning.optional(play.subject.text, described, play.traces, paired) if asked else ((), ())
    )
    compared = comparisons(described, play.traces) if any(rule.compares for rule in rules) else ()
    if paired and optional:
        drawn = (*optional, *images(described))
        optional = tuple(sorted(drawn, key=lambda scenario: scenario.spends_its_probe))
    if any(FAILING_RESET in rule.needs for rule in rules):
        optional = (*planning.failing(play.traces), *optional)
    if any(IN_THREAD in rule.needs for rule in rules):
        optional = (*planning.in_thread(play.traces), *optional)
    if any(OVERWRITTEN in rule.needs for rule in rules):
        optional = (*optional, *planning.overwriting(play.traces))
    if any(scenario.spends_its_probe for scenario in optional):
        play.session.expect_parting(play.subject.directory)
    # As few processes as can be.
    for scenario in sorted(
        (*compared, *optional, planning.EXIT), key=lambda scenario: scenario.hash_seed
    ):
        if not fails_alone(scenario, play.traces):
            play(scenario)
    return skipped


def _inject(play: Play) -> None:
    """Faults in workers, as long as what was seen makes others worth playing."""
    while (scenarios := planted_faults.faults(play.traces)) and not play.interrupted:
        for scenario in scenarios:
            play(scenario)


def _refuse(survey: Trace | None, python: str) -> None:
    """End the run with a sentence where SPEC or interpreter are at fault; what is an illness is
    left to the rules.
    """
    if survey and not survey.events and survey.outcome.kind != INTERRUPTED:
        raise UsageError(
            f"{python} cannot examine an environment: {_how_it_failed(survey.outcome)}"
        )
    result = (survey.fact(Survey) if survey else None) or Survey()
    if result.why == "no-environment":
        raise NothingToCheck(result.message)
    if result.why == "several":
        raise UsageError(f"{result.message}; name one of them: {', '.join(result.candidates)}")
    if result.why in ("not-callable", "no-file"):
        raise UsageError(result.message)


def _how_it_failed(outcome: Outcome) -> str:
    """Its last words, or else how it ended."""
    if outcome.stderr.strip():
        return outcome.stderr.strip().splitlines()[-1]
    if outcome.kind == TIMED_OUT:
        return f"it said nothing for {outcome.seconds:.0f} s"
    return (
        outcome.reason
        or f"it ended with {outcome.signal or f'exit code {outcome.exit_code}'} and said nothing"
    )


def _refuse_unknown_managers(wanted: tuple[str, ...], known: Collection[str]) -> None:
    for name in wanted:
        if name != "direct" and name not in known:
            raise UsageError(f"no manager is called {name}; there are direct, {', '.join(known)}")


def _store(play: Play, request: StorageRequest | None) -> tuple[Skipped, ...]:
    """Fill replay storages, where any is asked for; those that could not be filled."""
    if request is None:
        return ()
    from envdoctor.analysis.replay_buffers import skipped  # few runs have any
    from envdoctor.plan.replay_buffers import store

    store(play, request, play.available)
    return skipped(play.subject.text, play.traces)


def _platform() -> Iterator[tuple[str, str]]:
    yield "system", platform.system()
    yield "release", platform.release()
    yield "machine", platform.machine()
    yield "python", platform.python_version()
