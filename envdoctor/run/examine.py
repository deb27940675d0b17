"""The examination: request in, report out. Plays the plan in probes, asks the rules, plays what
they want to know, asks again.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Thread
from typing import TYPE_CHECKING, Any

from envdoctor import __version__
from envdoctor.errors import NothingToCheck, UsageError
from envdoctor.model.finding import Skipped
from envdoctor.model.report import Report
from envdoctor.model.scenario import DIRECT, Scenario
from envdoctor.model.subject import ENVIRONMENT, FUNCTION, SOURCE, Subject
from envdoctor.model.trace import FINISHED, INTERRUPTED, TIMED_OUT, Outcome, Trace
from envdoctor.plan import episodes, hangs
from envdoctor.plan import scenarios as planning
from envdoctor.plan.episodes import Bound
from envdoctor.plan.follow_ups import follow_ups
from envdoctor.plan.leak_check import LEAK_CHECK, QUICK, Effort, check_leaks
from envdoctor.plan.managed_leak_check import check_leaks_managed
from envdoctor.plan.relaunches import is_hopeless
from envdoctor.request.request import Request
from envdoctor.rules.engine.judging import Judgement
from envdoctor.rules.engine.registry import Entry, Rule, catalogue
from envdoctor.run.play import Budget, Play, Progress
from envdoctor.run.private_names import private
from envdoctor.run.supervise.head_start import HeadStart
from envdoctor.run.supervise.interruption import stopping
from envdoctor.run.supervise.limits import Limits
from envdoctor.run.supervise.session import Session
from envdoctor.verdict import triage
from envdoctor.verdict.diagnosis import Examined, Recorder, Run, judged, report_on

if TYPE_CHECKING:
    from envdoctor.plan.replay_buffers import Wish

# Of what findings make worth playing: behind one obstacle (shared memory) there may be another (the
# registration).
ROUNDS = 2
LEAK_SHARE = 0.25  # of the budget, for the search for growth
AROUND = 4  # scenarios beside those that are planned by now: replay, copies, render modes, exit
Meanwhile = Callable[[], object]
Settle = Callable[[Report], Report]


@dataclass
class Ward:
    """What the subjects of one run share. `stop` ends the sessions of all, also those that
    begin later.
    """

    request: Request
    progress: Progress
    meanwhile: Meanwhile
    ahead: HeadStart
    recorder: Recorder
    sessions: list[Session] = field(default_factory=list)
    stopped: bool = False
    _selected: tuple[Entry, ...] = field(init=False)
    _loading: Thread = field(init=False)

    def __post_init__(self) -> None:
        """Import what takes long, while the probes have to be waited for anyway. Raises
        UsageError for a selection that means nothing.
        """
        self._selected = _asked(
            triage.select_rules(catalogue(), self.request.select, self.request.ignore), self.request
        )
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
        with suppress(Exception):  # it fails again, and is reported, where it is needed
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


def _asked(selected: tuple[Entry, ...], request: Request) -> tuple[Entry, ...]:
    """The rules without those on replay storages, where none is filled: they have nothing to
    say.
    """
    if request.storage is not None:
        return selected
    rest = tuple(entry for entry in selected if not entry.code.startswith(planning.STORAGE_CODES))
    if selected and not rest:
        raise UsageError(
            f"{selected[0].code} is about replay storages: `envdoctor leak SPEC --storage NAME`"
            " fills one"
        )
    return rest


def examine(
    request: Request,
    progress: Progress,
    meanwhile: Meanwhile = lambda: None,
    ahead: HeadStart | None = None,
    recorder: Recorder | None = None,
    settle: Settle | None = None,
) -> Report:
    """Examine every subject. `meanwhile` is called while the first probe starts, for what the
    caller has to load anyway; `ahead` is what the caller began before it knew the request, and
    stays the caller's to close; `recorder` gets what is seen; `settle` has the last word on the
    report, before what is private in it is hidden.

    Raises UsageError for a selection or SPEC that means nothing, NothingToCheck for an empty file.
    """
    began, recorder = time.monotonic(), recorder or Recorder()
    run = Run(
        request.seed,
        command=request.command,
        platform=dict(_platform()),
        version=__version__,
        hunted=request.hunt is not None,
    )
    with nullcontext(ahead) if ahead else HeadStart() as begun:
        ward = Ward(request, progress, meanwhile, begun, recorder)
        recorder.begin(run, ward.codes)
        with stopping(ward.stop):
            examined = _one_by_one(ward) if request.jobs == 1 else _side_by_side(ward)
    report = report_on(replace(run, seconds=time.monotonic() - began), examined)
    recorder.end(report)
    return private(settle(report) if settle else report, request.subjects, request.anonymous)


def _one_by_one(ward: Ward) -> list[Examined]:
    """In this thread, without the costs of a pool."""
    examined: list[Examined] = []
    for subject in ward.request.subjects:
        examined.append(_examine_subject(ward, subject))
        if any(trace.outcome.kind == INTERRUPTED for trace in examined[-1].seen.traces):
            break
    return examined


def _side_by_side(ward: Ward) -> list[Examined]:
    """In threads. Ctrl-C reaches this one, which tells every session."""
    from concurrent.futures import ThreadPoolExecutor, wait  # most runs have one subject

    with ThreadPoolExecutor(max_workers=ward.request.jobs) as pool:
        futures = [
            pool.submit(_examine_subject, ward, subject) for subject in ward.request.subjects
        ]
        try:
            wait(futures)
        except KeyboardInterrupt:
            ward.stop()
        return [future.result() for future in futures]


def _examine_subject(ward: Ward, subject: Subject) -> Examined:
    began, request, ahead = time.monotonic(), ward.request.of(subject), ward.ahead
    python, limits = request.python or sys.executable, _limits(request)
    with Session(
        python, limits, ahead.bundle, ahead.directory, ahead.directory, ahead.take(python)
    ) as session:
        ward.admit(session)
        play = Play(
            session,
            subject,
            request.seed,
            session.directory / "spaces.pkl",
            ward.progress,
            ward.recorder,
            budget=Budget(request.budget, began),
        )
        skipped = _play_all(play, ward)
        rules = ward.rules
        judgement = judged(play.seen(), rules)
        for _ in range(0 if request.hunt else ROUNDS):
            wanted = follow_ups(judgement.findings, play.traces, request.start_methods)
            if not wanted:
                break
            for scenario in wanted:
                play(scenario)
            judgement = judged(play.seen(), rules)
        if request.faults:
            _inject(play)
            judgement = judged(play.seen(), rules)
    if request.try_remedies and not (play.interrupted or play.budget.is_over):
        judgement = _try_remedies(play, ward, judgement, time.monotonic() - began)
    seen = play.seen(
        skipped=skipped + tuple(play.skipped),
        hunted=bool(request.hunt and request.hunt.explain),
        seconds=time.monotonic() - began,
    )
    ward.recorder.over(seen)
    return Examined(seen, judgement)


def _try_remedies(play: Play, ward: Ward, judgement: Judgement, seconds: float) -> Judgement:
    """The judgement with the code of remedies that cure their findings in a copy of the user's
    files. A subject without such findings costs nothing.
    """
    if not any(finding.remedy.aim for finding in judgement.findings):
        return judgement
    from envdoctor.run.remedies import Trials
    from envdoctor.verdict.remedies import kept

    session, ahead = play.session, ward.ahead
    with Session(
        session.python, session.limits, ahead.bundle, ahead.directory, ahead.directory
    ) as own:
        ward.admit(own)
        trials = Trials(
            own,
            play.seen(),
            ward.rules,
            judgement,
            ward.progress,
            seconds,
            play.seed,
            lambda: play.budget.is_over,
        )
        play.remedies = kept(trials.run())
    return judged(play.seen(), ward.rules)


def _wants_growth(request: Request, ward: Ward) -> bool:
    """Whether growth is looked for: by its own rules, or where another one that needs it was asked
    for. Leaving out its rules leaves it out.
    """
    asked = [rule for rule in ward.rules if request.select or rule.code.startswith(triage.GROWTH)]
    return any(rule.meters for rule in asked)


def _limits(request: Request) -> Limits:
    """Those of one subject: what is examined at the same time shares the memory."""
    limits = Limits(timeout=request.timeout)
    return replace(
        limits,
        memory=request.memory or limits.memory // max(1, min(request.jobs, len(request.subjects))),
    )


def _play_all(play: Play, ward: Ward) -> tuple[Skipped, ...]:
    """The plan, in order: what it is, its plain life, then the rest as far as the subject can be
    built at all.
    """
    request = ward.request.of(play.subject)
    survey = play(planning.SURVEY)
    if survey is None or not survey.fact("survey", {}).get("found"):
        _refuse(survey, play.session.python)
        return ()
    if play.subject.kind != ENVIRONMENT and _is_function(play):
        return _play_function(play, request.hunt or QUICK)
    return _play_environment(play, ward, survey)


def _play_environment(play: Play, ward: Ward, survey: Trace) -> tuple[Skipped, ...]:
    """The rest of the plan, for what can be built. Growth is hunted only where a rule asks for it:
    that takes longer than all the rest.
    """
    request = ward.request.of(play.subject)
    life = play(planning.PLAIN)
    described = life.fact("described") if life is not None else None
    if life is None or described is None or life.fact("refused"):
        return ()
    play.left_out.update(planning.unchecked(described))
    if not request.hunt and any(rule.about == SOURCE for rule in ward.rules):
        play.proofread(life.fact("sources", {}))
    if episodes.lived((DIRECT, None), play.traces):
        play(episodes.alone(request.episodes))
    # Right after its plain life: what the other scenarios keep on purpose would spoil the meters.
    if request.hunt or _wants_growth(request, ward):
        # The loop that fills storages keeps one open.
        effort = replace(request.hunt or QUICK, stay_open=request.storage is None)
        effort = replace(effort, seconds=play.budget.share(effort.seconds, LEAK_SHARE))
        if hangs.stopped(life):
            play.left_out[LEAK_CHECK] = hangs.reason(play.traces)
        else:
            check_leaks(play, effort, bool(described.get("render_mode")), play.traces)
    alone = () if request.hunt else planning.direct(described)
    _refuse_unknown_managers(request.managers, survey.fact("survey")["managers"])
    scenarios, skipped = planning.managed(
        play.subject.text,
        survey.fact("survey"),
        described,
        request.managers,
        request.start_methods,
        request.thorough,
    )
    play.expect(len(alone) + len(scenarios) + AROUND)
    for scenario in alone:
        play(scenario)
    if request.hunt:
        check_leaks_managed(
            play,
            request.hunt,
            list(dict.fromkeys(scenario.place for scenario in scenarios)),
            play.traces,
        )
        return (skipped if request.managers != (DIRECT,) else ()) + _store(play, request.storage)
    chosen = planning.most_telling(scenarios) if request.budget else scenarios
    skipped += _play_managed(play, survey.fact("survey"), tuple(chosen), request.episodes)
    return skipped + _play_beside(play, described, ward.rules)


def _play_managed(
    play: Play, survey: Mapping[str, Any], scenarios: tuple[Scenario, ...], bound: Bound
) -> tuple[Skipped, ...]:
    """What is played under managers; whole episodes last, as far as there is time for them."""
    for scenario in scenarios:
        if not is_hopeless(scenario, play.traces):
            play(scenario)
    whole, skipped = episodes.managed(play.subject.text, survey, scenarios, play.traces, bound)
    for scenario in whole:
        play(scenario)
    return skipped


def _play_function(play: Play, effort: Effort) -> tuple[Skipped, ...]:
    """Call it again and again. It has no close(), no seed and no worker: growth is all that there
    is to see, and only where the first call came back.
    """
    if play.traces[-1].outcome.kind == FINISHED:
        check_leaks(play, replace(effort, stay_open=False), of_function=True)
    return ()


def _is_function(play: Play) -> bool:
    """Call the subject once: whether it is a function to be called again and again, which one that
    does not come back is as well.
    """
    first = play(planning.FIRST_CALL)
    if first is None:
        return True
    called: Mapping[str, Any] = first.fact("called", {})
    if play.subject.kind == FUNCTION and called.get("environment"):
        raise UsageError(
            f"{play.subject.text} builds an environment: leave --callable out to examine that"
        )
    kind = ENVIRONMENT if called.get("environment") else FUNCTION
    play.subject = replace(play.subject, kind=kind)
    return kind == FUNCTION


def _play_beside(
    play: Play, described: Mapping[str, Any], rules: tuple[Rule, ...]
) -> tuple[Skipped, ...]:
    """What is played for the sake of comparison, and what few people do with an environment, where
    a rule asks for it; and the exit of Python, last in the probe that played the rest.
    """
    paired = next((rule.code for rule in rules if rule.compares_pairs), "")
    asked = paired or any(rule.reports_render_modes for rule in rules)
    aside, skipped = (
        planning.aside(play.subject.text, described, play.traces, paired) if asked else ((), ())
    )
    compared = (
        planning.comparisons(described, play.traces) if any(rule.compares for rule in rules) else ()
    )
    if any(scenario.spends_its_probe for scenario in aside):
        play.session.expect_parting(play.subject.directory)
    # As few processes as can be.
    for scenario in sorted(
        (*compared, *aside, planning.EXIT), key=lambda scenario: scenario.hash_seed
    ):
        play(scenario)
    return skipped


def _inject(play: Play) -> None:
    """Faults in workers, as long as what was seen makes others worth playing."""
    while (scenarios := planning.faults(play.traces)) and not play.interrupted:
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
    return (
        outcome.reason
        or f"it ended with {outcome.signal or f'exit code {outcome.exit_code}'} and said nothing"
    )


def _refuse_unknown_managers(wanted: tuple[str, ...], known: Mapping[str, Any]) -> None:
    for name in wanted:
        if name != "direct" and name not in known:
            raise UsageError(f"no manager is called {name}; there are direct, {', '.join(known)}")


def _store(play: Play, wish: Wish | None) -> tuple[Skipped, ...]:
    """Fill replay storages, where any is asked for; those that could not be filled."""
    if wish is None:
        return ()
    from envdoctor.analysis.replay_buffers import skipped  # few runs have any
    from envdoctor.plan.replay_buffers import store

    store(play, wish, play.machine["available"])
    return skipped(play.subject.text, play.traces)


def _platform() -> Iterator[tuple[str, str]]:
    yield "system", platform.system()
    yield "release", platform.release()
    yield "machine", platform.machine()
    yield "python", platform.python_version()
