"""Applies the rules: traces of one subject in; findings, passes and skips out. Decides the
blame.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from envdoctor.frameworks import other_launches
from envdoctor.model.evidence import Failing, read_evidence
from envdoctor.model.facts import Known, StorageForecast, WrapperClass
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import (
    ENVIRONMENT,
    INTERACTION,
    MANAGER,
    NOTE,
    UNKNOWN,
    WRAPPER,
    Finding,
    Passed,
    Remedy,
    Skipped,
)
from envdoctor.model.remedy import Aim
from envdoctor.model.report import NO_ENVIRONMENT
from envdoctor.model.scenario import DIRECT, SERVICE_COUNT, WITHOUT_BUFFERS
from envdoctor.model.trace import Trace
from envdoctor.model.traits import TRAITS, VARIANT
from envdoctor.rules.doctor.doc003_rule_crashed import crashed
from envdoctor.rules.engine.looked_at import (
    missing_evidence,
    never_made,
    unfinished,
    why_left_out,
    why_unreached,
)
from envdoctor.rules.engine.optional_scenarios import left_out, only_rendered
from envdoctor.rules.engine.registry import (
    EVERYWHERE,
    IN_PROCESS,
    VECTOR_ONLY,
    WHERE_CHECKED,
    WHERE_COUNTED,
    WHERE_FAULTY,
    WHERE_FOLLOWED,
    WHERE_PLAYED,
    WHERE_WATCHED,
    Rule,
)
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.close_layers import StoppingWrapper, stopping_wrapper
from envdoctor.rules.evidence.comparisons import not_compared
from envdoctor.rules.evidence.episodes import followed_anywhere, managers_played
from envdoctor.rules.evidence.failures import reported_by
from envdoctor.rules.evidence.growth import first_call_failed, is_function, unfollowed
from envdoctor.rules.evidence.side_effects import SEARCH, unread_around_import
from envdoctor.rules.remedies.launch_lines import Place


@dataclass(frozen=True)
class Judgement:
    """The results of all rules for one subject."""

    findings: tuple[Finding, ...] = ()
    passed: tuple[Passed, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def judge(subject: str, survey: Known, traces: Iterable[Trace], rules: Iterable[Rule]) -> Judgement:
    """Apply every rule in every place that was played."""
    rules = tuple(rules)
    views = build_views(subject, survey, tuple(traces))
    findings: list[Finding] = []
    passed: list[Passed] = []
    skipped: list[Skipped] = []
    for rule in rules:
        for view in views:
            if not _applies(rule, view):
                continue
            result, reason = _verdict(rule, view)
            findings += result
            if reason:
                skipped.append(_skipped(rule, view, reason))
            elif not result:
                passed.append(Passed(rule.code, subject, view.manager, view.start_method))
    last_resorts = {rule.code for rule in rules if rule.last_resort}
    kept = _drop_superseded(_unexplained(findings), findings, last_resorts)
    skipped += _given_way(findings, kept)
    result = _once_per_manager(kept)
    drawn = [
        _place(finding, rule, view, False, False)
        for rule in rules
        for view in views
        for finding in _guarded(only_rendered, rule, view, findings)
    ]
    skipped += [
        Skipped(rule.code, subject, view.manager, reason)
        for rule in rules
        for view in views
        for reason in _reasons_left_out(rule, view)
    ]
    return Judgement(tuple(result + drawn), tuple(passed), tuple(skipped))


def _skipped(rule: Rule, view: View, reason: str) -> Skipped:
    absent = rule.about in view.survey.absent
    return Skipped(rule.code, view.subject, view.manager, reason, view.start_method, absent)


def _verdict(rule: Rule, view: View) -> tuple[list[Finding], str]:
    """The findings of a rule in one place, and why it was not judged there, if it was not."""
    try:
        reason = why_skipped(rule, view)
        if reason:
            return [], reason
        findings = _apply(rule, view) or _only_otherwise_launched(rule, view)
        # What was found is reported however little was played.
        return findings, "" if findings else why_not_judged(rule, view)
    except Exception as error:
        return [crashed(rule.code, view, error)], ""


def _guarded(
    find: Callable[..., Iterable[Finding]], rule: Rule, view: View, *rest: object
) -> list[Finding]:
    """Findings; where the search itself crashes, that is one."""
    try:
        return list(find(rule, view, *rest))
    except Exception as error:
        return [crashed(rule.code, view, error)]


def _reasons_left_out(rule: Rule, view: View) -> list[str]:
    try:
        return list(left_out(rule, view))
    except Exception as error:
        return [f"the search for what was left out crashed: {type(error).__name__}: {error}"]


def build_views(subject: str, survey: Known, traces: tuple[Trace, ...]) -> list[View]:
    """One view a place, in the order of play, each with its control where that was played."""
    subjects = tuple(
        trace
        for trace in traces
        if not trace.scenario.control and not trace.scenario.traits.optional
    )
    optional = tuple(trace for trace in traces if trace.scenario.traits.optional)
    faulty = tuple(trace for trace in traces if trace.scenario.fault)
    controls = tuple(
        trace for trace in traces if trace.scenario.control and not trace.scenario.fault
    )
    views = []
    for place in dict.fromkeys(trace.scenario.place for trace in subjects):
        own, rare = _played_in(place, subjects)
        theirs, theirs_rare = _played_in(place, controls)
        control = (
            View(
                subject, *place, theirs, survey, other_places=controls, optional_traces=theirs_rare
            )
            if theirs
            else None
        )
        faults = tuple(trace for trace in faulty if trace.scenario.place == place)
        views.append(
            View(
                subject,
                *place,
                own,
                survey,
                control,
                subjects,
                optional if place[0] == DIRECT else rare,
                faults,
                tuple(trace for trace in optional if trace.scenario.manager == DIRECT),
            )
        )
    return views


def _played_in(
    place: Place, traces: tuple[Trace, ...]
) -> tuple[tuple[Trace, ...], tuple[Trace, ...]]:
    """The traces of one place, and those of its rare launches."""
    own = [trace for trace in traces if trace.scenario.place == place]
    return tuple(trace for trace in own if not trace.scenario.traits.rare), tuple(
        trace for trace in own if trace.scenario.traits.rare
    )


def _only_otherwise_launched(rule: Rule, view: View) -> list[Finding]:
    """Return findings that need another launch than by the manager's class and its defaults."""
    if "life" not in rule.needs:
        return []
    return [
        finding.but(
            message=f"{words}: {finding.message}",
            evidence={**finding.evidence, "built_by": name},
            severity=NOTE if TRAITS.get(name, VARIANT).rare else finding.severity,
        )
        for name, words in other_launches(view.manager).items()
        for launched in _as_life(view, name)
        for finding in _apply(rule, launched)
        if finding.blame != MANAGER
    ]


def _as_life(view: View, name: str) -> Iterator[View]:
    """The view with that life in place of the plain one, where it was played. Its control is one
    without buffers, too: until that was played there is none.
    """
    run = next(
        (
            trace
            for trace in reversed(view.traces + view.optional_traces)
            if trace.scenario.name == name
        ),
        None,
    )
    if run is None:
        return
    control = view.control
    if name == WITHOUT_BUFFERS:
        control = next(_as_life(view.control, name), None) if view.control else None
    yield replace(
        view, traces=(replace(run, scenario=replace(run.scenario, name="life")),), control=control
    )


def _applies(rule: Rule, view: View) -> bool:
    if rule.start_methods and view.start_method not in rule.start_methods:
        return False
    if rule.where in (WHERE_CHECKED, WHERE_WATCHED):
        return any(view.trace(name) for name in rule.needs)
    if rule.where == WHERE_COUNTED:
        return view.is_direct and any(trace.scenario.option(SERVICE_COUNT) for trace in view.traces)
    if rule.where == WHERE_FOLLOWED and view.is_direct:
        return managers_played(view) and not followed_anywhere(view)
    if view.is_direct:
        return rule.where not in (VECTOR_ONLY, WHERE_FAULTY)
    if rule.where == WHERE_FAULTY:
        return bool(view.faults)
    if rule.where in (WHERE_PLAYED, WHERE_FOLLOWED):
        return any(view.trace(name) for name in rule.needs)
    return rule.where in (EVERYWHERE, VECTOR_ONLY) or (
        rule.where == IN_PROCESS and view.start_method is None
    )


def why_not_judged(rule: Rule, view: View) -> str:
    """Return the reason why a rule without findings does not pass in a place: a part that it looks
    at was not played, or not to the horizon that its page promises. Empty where it passes.
    """
    if rule.looks_at:
        reason = missing_evidence(view, rule.looks_at)
    else:
        reason = unfinished(trace for name in rule.needs for trace in view.all(name))
    if not reason and rule.meters:
        reason = unfollowed(view, rule.meters)
    if not reason and SEARCH in rule.follow_ups:
        reason = unread_around_import(view, rule.sensors)
    return reason or rule.unjudged(view)


def why_skipped(rule: Rule, view: View) -> str:
    """Return the reason why a rule cannot be judged in a place, or nothing."""
    if view.refused:
        return f"it cannot be played: {view.refused}"
    unjudged = view.survey.unjudged
    if rule.about in unjudged:
        return unjudged[rule.about]
    unread = view.survey.sensors
    if unread.get(rule.about):
        return unread[rule.about]
    needed = rule.needs[:1] if view.is_direct else rule.needs
    traces = [trace for name in needed for trace in [view.trace(name)] if trace is not None]
    if rule.code.startswith("BUF") and all(
        (trace.fact(StorageForecast) or StorageForecast()).missing
        for name in needed
        for trace in view.all(name)
    ):
        traces = []  # what is not installed has no forecast either
    if rule.needs and not traces:
        left_out = next(filter(None, (why_left_out(view, name) for name in needed)), "")
        return _why_not_played(view) or left_out or f"not played: {' or '.join(needed)}"
    for name in rule.verb.split():
        if not any(trace.reached(name) or trace.hung_in(name) for trace in traces):
            return _why_unreached(view, name, traces)
    for sensor in rule.sensors:
        if not any(
            life.has(sensor, point)
            for trace in traces
            for life in trace.lifecycles
            for point in ("held", "dropped", "made")
        ):
            return f"the sensor {sensor} gave no reading"
    return not_compared(view, rule.compares, traces) if rule.compares else ""


def _why_not_played(view: View) -> str:
    """One reason for all that could not be played, where there is one."""
    if not view.survey.is_found:
        return NO_ENVIRONMENT
    uncalled = first_call_failed(view)
    if uncalled:
        return uncalled
    unfilled = dict.fromkeys(
        reason for trace in view.traces for reason in [_why_not_filled(trace)] if reason
    )
    if unfilled:
        return (
            next(iter(unfilled))
            if len(unfilled) == 1
            else "none of the replay storages could be filled"
        )
    return never_made(view.direct)


def _why_unreached(view: View, name: str, traces: Sequence[Trace]) -> str:
    """Return the reason why a verb was never reached: the end of the last scenario that has it."""
    if name in view.survey.lacks:
        return f"it has no {name}()"
    return next(map(why_unreached, reversed(traces)), "") or f"{name} was never reached"


def _why_not_filled(forecast: Trace) -> str:
    """Return the forecast's reason why a replay storage was not filled, if it has one."""
    reported = forecast.fact(StorageForecast) or StorageForecast()
    return reported.missing or reported.refused


def _apply(rule: Rule, view: View) -> list[Finding]:
    """The rule's findings in one place, with subject, place and blame. A rule that raises
    becomes a finding itself.
    """
    try:
        findings = [_as_the_wrappers(finding, rule, view) for finding in rule.judge(view)]
        shown_by_control = bool(view.control and list(rule.judge(view.control)))
        shown_directly = bool(findings) and not view.is_direct and _shown_directly(rule, view)
    except Exception as error:
        findings, shown_by_control, shown_directly = [crashed(rule.code, view, error)], False, False
    return [
        _place(finding, rule, view, shown_by_control, shown_directly) for finding in findings
    ] + (
        _managers_own(rule, view)
        if shown_by_control and not view.is_direct and (rule.subtracts_control or not findings)
        else []
    )


def _as_the_wrappers(finding: Finding, rule: Rule, view: View) -> Finding:
    """A finding whose line is a wrapper's names the class of that in place of the environment's.
    It stays the same one.
    """
    wrapper = _wrapper_of(finding, view)
    if wrapper is None:
        return finding
    named = next(
        (
            again.but(key=finding.key, evidence=finding.evidence)
            for again in rule.judge(view.of_wrapper(wrapper))
            if (again.location, again.fingerprint) == (finding.location, finding.fingerprint)
        ),
        finding,
    )
    if not wrapper.library:
        return named
    text = (
        f"leave {wrapper.name.rpartition('.')[2]} out, or give it arguments that avoid this: it is"
        f" {wrapper.library}'s own code."
    )
    return named.but(remedy=Remedy(text))


def _wrapper_of(finding: Finding, view: View) -> WrapperClass | None:
    """The wrapper whose line a finding names. What raises in a wrapper's step() or reset() may be
    what the environment returned; an attribute that its __getattr__() looks up is missing below it.
    """
    function = finding.location.function.rpartition(".")[2] if finding.location else ""
    raised = read_evidence(Failing, finding.evidence).error
    passes_on = raised is not None and (
        function in ("step", "reset")
        or (function == "__getattr__" and raised.type.endswith("AttributeError"))
    )
    return None if passes_on else view.wrapper_at(finding.location)


def _shown_directly(rule: Rule, view: View) -> bool:
    return (
        rule.where != VECTOR_ONLY
        and bool(view.direct.traces)
        and bool(list(rule.judge(view.direct)))
    )


def _place(
    finding: Finding, rule: Rule, view: View, shown_by_control: bool, shown_directly: bool
) -> Finding:
    # What is counted is what the control does not have.
    by_manager = shown_by_control and not rule.subtracts_control
    blame = (
        finding.blame
        if rule.blames_itself or finding.blame != UNKNOWN
        else _blame(view, by_manager, shown_directly)
    )
    if blame == ENVIRONMENT and _wrapper_of(finding, view):
        blame = WRAPPER
    severity = NOTE if blame == MANAGER else finding.severity
    placed = finding.but(
        subject=view.subject,
        manager=view.manager,
        start_method=view.start_method,
        blame=blame,
        severity=severity,
        of_function=is_function(view),
    )
    if blame == MANAGER:
        return placed if rule.blames_itself else placed.but(**_nothing_to_mend(view))
    in_close = rule.cured_in_close and blame in (ENVIRONMENT, WRAPPER)
    stopping = stopping_wrapper(view) if in_close else None
    return placed.but(**_mended_in(stopping, placed.remedy.aim)) if stopping else placed


def _mended_in(stopping: StoppingWrapper, inner: Aim | None) -> dict[str, object]:
    """In the wrapper in which close() stops: what the environment's own close() gives back is not
    known before that is run.
    """
    return {"remedy": Remedy(stopping.remedy, aim=stopping.aim(inner)), "location": stopping.place}


def _nothing_to_mend(view: View) -> dict[str, object]:
    """In the subject, that is, and so no line of it to show."""
    return {
        "remedy": Remedy(
            f"nothing to do in the environment: {view.manager} does so with a null environment,"
            " too."
        ),
        "location": None,
    }


def _blame(view: View, shown_by_control: bool, shown_directly: bool) -> str:
    if view.is_direct or shown_directly:
        return ENVIRONMENT
    if view.control is None:
        return UNKNOWN
    return MANAGER if shown_by_control else INTERACTION


def _managers_own(rule: Rule, view: View) -> list[Finding]:
    """Return notes on the manager's effects on any environment, without those that the subject
    caused, with the framework's name.
    """
    assert view.control is not None
    own = {
        "subject": view.subject,
        "manager": view.manager,
        "start_method": view.start_method,
        "blame": MANAGER,
        "severity": NOTE,
    }
    advice = {} if rule.blames_itself else _nothing_to_mend(view)
    return [finding.but(**own, **advice) for finding in rule.judge(view.control)]


def _unexplained(findings: list[Finding]) -> list[Finding]:
    """Findings without those that another one in the same place explains: its remedy would take the
    whole of them.
    """
    reported = {(finding.code, finding.manager, finding.start_method) for finding in findings}
    return [finding for finding in findings if not _explanation(finding, reported)]


def _drop_superseded(
    kept: list[Finding], findings: list[Finding], last_resorts: Collection[str]
) -> list[Finding]:
    """Findings without the failures that another one tells, where these are of `last_resorts` (the
    codes of rules that give way to all others); of equal ones in several places, the first.
    """
    others = [finding for finding in findings if finding.code not in last_resorts]
    left: list[Finding] = []
    for finding in kept:
        if finding.code not in last_resorts or not reported_by(finding, [*others, *left]):
            left.append(finding)
    return left


def _explanation(finding: Finding, texts: Collection[tuple[str, str, str | None]]) -> str:
    """The code of a finding that explains another one, or nothing."""
    place = (finding.manager, finding.start_method)
    here = (code for code in finding.explained_by if (code, *place) in texts)
    alone = (code for code in finding.explained_alone if (code, DIRECT, None) in texts)
    return next(here, "") or next(alone, "")


def _given_way(findings: list[Finding], kept: list[Finding]) -> Iterator[Skipped]:
    """Rules all of whose findings in a place gave way to others: they did not pass there."""
    reported = {(finding.code, finding.manager, finding.start_method) for finding in findings}
    speaking = {(finding.code, finding.manager, finding.start_method) for finding in kept}
    for place in dict.fromkeys((each.code, each.manager, each.start_method) for each in findings):
        if place in speaking:
            continue
        first = next(
            each for each in findings if (each.code, each.manager, each.start_method) == place
        )
        others = [
            finding for finding in findings if finding is not first and finding.code != first.code
        ]
        reason = f"explained by {_explanation(first, reported) or reported_by(first, others)}"
        yield Skipped(first.code, first.subject, first.manager, reason, first.start_method)


def _once_per_manager(findings: list[Finding]) -> list[Finding]:
    """A manager's own trait is reported once, not for each start method; a limit that was tried
    out in each of them is reported there.
    """
    known: set[tuple[str, str]] = set()
    kept = []
    for finding in findings:
        key = (finding.code, finding.manager)
        if (
            finding.blame == MANAGER
            and finding.manager != DIRECT
            and "limit" not in finding.evidence
        ):
            if key in known:
                continue
            known.add(key)
        kept.append(finding)
    return kept
