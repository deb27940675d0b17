"""Applies the rules: traces of one subject in; findings, passes and skips out. Decides the blame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from envdoctor.model.finding import ENVIRONMENT, INTERACTION, MANAGER, NOTE, UNKNOWN, Finding, Passed, Remedy, Skipped
from envdoctor.model.scenario import ASIDE, BY_MAKE_VEC_ENV, DIRECT
from envdoctor.model.trace import Trace
from envdoctor.rules.comparisons import not_compared
from envdoctor.rules.doc003_rule_crashed import crashed
from envdoctor.rules.growth import unread
from envdoctor.rules.registry import EVERYWHERE, IN_PROCESS, VECTOR_ONLY, WHERE_CHECKED, WHERE_FAULTY, WHERE_PLAYED, Rule
from envdoctor.rules.rendered import left_out, only_rendered
from envdoctor.rules.view import View


@dataclass(frozen=True)
class Judgement:
    """What the rules say of one subject."""

    findings: tuple[Finding, ...] = ()
    passed: tuple[Passed, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def judge(subject: str, survey: Mapping[str, Any], traces: Iterable[Trace], rules: Iterable[Rule]) -> Judgement:
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
            reason = why_skipped(rule, view)
            found = _apply(rule, view) if not reason else []
            found += _only_by_make_vec_env(rule, view, found) if not reason else []
            findings += found
            if reason:
                skipped.append(Skipped(rule.code, subject, view.manager, reason, view.start_method))
            elif not found:
                passed.append(Passed(rule.code, subject, view.manager, view.start_method))
    found = _once_per_manager(_told_once(findings))
    drawn = [_place(finding, rule, view, False, False) for rule in rules for view in views for finding in only_rendered(rule, view, found)]
    skipped += [Skipped(rule.code, subject, view.manager, reason) for rule in rules for view in views for reason in left_out(rule, view)]
    return Judgement(tuple(found + drawn), tuple(passed), tuple(skipped))


def build_views(subject: str, survey: Mapping[str, Any], traces: tuple[Trace, ...]) -> list[View]:
    """One view a place, in the order of play, each with its control where that was played."""
    subjects = tuple(trace for trace in traces if not trace.scenario.control and trace.scenario.name not in ASIDE)
    aside = tuple(trace for trace in traces if trace.scenario.name in ASIDE)
    faulty = tuple(trace for trace in traces if trace.scenario.fault)
    controls = tuple(trace for trace in traces if trace.scenario.control and not trace.scenario.fault)
    views = []
    for place in dict.fromkeys(trace.scenario.place for trace in subjects):
        own = tuple(trace for trace in subjects if trace.scenario.place == place)
        theirs = tuple(trace for trace in controls if trace.scenario.place == place)
        control = View(subject, *place, theirs, survey, elsewhere=controls) if theirs else None
        faults = tuple(trace for trace in faulty if trace.scenario.place == place)
        views.append(View(subject, *place, own, survey, control, subjects, aside if place[0] == DIRECT else (), faults))
    return views


def _only_by_make_vec_env(rule: Rule, view: View, found: list[Finding]) -> list[Finding]:
    """What a rule finds only where the manager was built by make_vec_env(), and not directly."""
    played = view.trace(BY_MAKE_VEC_ENV)
    if played is None or "life" not in rule.needs or found:
        return []
    life = replace(played, scenario=replace(played.scenario, name="life"))
    return [
        finding.but(message=f"built by make_vec_env(): {finding.message}", evidence={**finding.evidence, "built_by": BY_MAKE_VEC_ENV})
        for finding in _apply(rule, replace(view, traces=(life,)))
        if finding.blame != MANAGER
    ]


def _applies(rule: Rule, view: View) -> bool:
    if rule.start_methods and view.start_method not in rule.start_methods:
        return False
    if rule.where == WHERE_CHECKED:
        return any(view.trace(name) for name in rule.needs)
    if view.is_direct:
        return rule.where not in (VECTOR_ONLY, WHERE_FAULTY)
    if rule.where == WHERE_FAULTY:
        return bool(view.faults)
    if rule.where == WHERE_PLAYED:
        return any(view.trace(name) for name in rule.needs)
    return rule.where in (EVERYWHERE, VECTOR_ONLY) or (rule.where == IN_PROCESS and view.start_method is None)


def why_skipped(rule: Rule, view: View) -> str:
    """Why a rule cannot be judged in a place, or nothing."""
    unjudged: Mapping[str, str] = view.survey.get("unjudged") or {}
    if rule.code in unjudged:
        return unjudged[rule.code]
    needed = rule.needs[:1] if view.is_direct else rule.needs
    played = [trace for name in needed for trace in [view.trace(name)] if trace is not None]
    if rule.code.startswith("BUF") and all((trace.fact("forecast") or {}).get("missing") for name in needed for trace in view.all(name)):
        played = []  # what is not installed has no forecast either
    if rule.needs and not played:
        return _why_not_played(view) or f"not played: {' or '.join(needed)}"
    for name in rule.verb.split():
        if not any(trace.reached(name) or trace.hung_in(name) for trace in played):
            return f"it has no {name}()" if name in (view.survey.get("lacks") or ()) else f"{name} was never reached"
    for sensor in rule.sensors:
        if not any(life.has(sensor, point) for trace in played for life in trace.lives for point in ("held", "dropped", "made")):
            return f"the sensor {sensor} gave no reading"
    return unread(view, rule.meters) or (not_compared(view, rule.compares, played) if rule.compares else "")


def _why_not_played(view: View) -> str:
    """One reason for all that could not be played, where there is one."""
    if not view.survey.get("found"):
        return "there is no environment to examine"
    unfilled = dict.fromkeys(reason for trace in view.traces for reason in [_why_not_filled(trace)] if reason)
    if unfilled:
        return next(iter(unfilled)) if len(unfilled) == 1 else "none of the replay storages could be filled"
    plain = view.direct.trace("life")
    return "the environment could not be made" if plain is not None and not plain.verbs("make", "ended") else ""


def _why_not_filled(forecast: Trace) -> str:
    """Why a replay storage was not filled, where its forecast says so."""
    told = forecast.fact("forecast") or {}
    return str(told.get("missing") or told.get("refused") or "")


def _apply(rule: Rule, view: View) -> list[Finding]:
    """The rule's findings in one place, with subject, place and blame. A rule that raises becomes a finding itself."""
    try:
        found = list(rule.judge(view))
        shown_by_control = bool(view.control and list(rule.judge(view.control)))
        shown_directly = bool(found) and not view.is_direct and _shown_directly(rule, view)
    except Exception as error:
        found, shown_by_control, shown_directly = [crashed(rule.code, view, error)], False, False
    return [_place(finding, rule, view, shown_by_control, shown_directly) for finding in found] + (
        _managers_own(rule, view) if shown_by_control and not view.is_direct and (rule.subtracts_control or not found) else []
    )


def _shown_directly(rule: Rule, view: View) -> bool:
    return rule.where != VECTOR_ONLY and bool(view.direct.traces) and bool(list(rule.judge(view.direct)))


def _place(finding: Finding, rule: Rule, view: View, shown_by_control: bool, shown_directly: bool) -> Finding:
    by_manager = shown_by_control and not rule.subtracts_control  # what is counted is what the control does not have
    blame = finding.blame if rule.blames_itself or finding.blame != UNKNOWN else _blame(view, by_manager, shown_directly)
    severity = NOTE if blame == MANAGER else finding.severity
    placed = finding.but(subject=view.subject, manager=view.manager, start_method=view.start_method, blame=blame, severity=severity)
    return placed if blame != MANAGER or rule.blames_itself else placed.but(**_nothing_to_mend(view))


def _nothing_to_mend(view: View) -> dict[str, Any]:
    """In the subject, that is, and so no line of it to show."""
    return {"remedy": Remedy(f"nothing to do in the environment: {view.manager} does so with a null environment, too."), "location": None}


def _blame(view: View, shown_by_control: bool, shown_directly: bool) -> str:
    if view.is_direct or shown_directly:
        return ENVIRONMENT
    if view.control is None:
        return UNKNOWN
    return MANAGER if shown_by_control else INTERACTION


def _managers_own(rule: Rule, view: View) -> list[Finding]:
    """What the manager does to any environment, once what the subject did is taken off: a note with the framework's name."""
    assert view.control is not None
    own = {"subject": view.subject, "manager": view.manager, "start_method": view.start_method, "blame": MANAGER, "severity": NOTE}
    advice = {} if rule.blames_itself else _nothing_to_mend(view)
    return [finding.but(**own, **advice) for finding in rule.judge(view.control)]


def _told_once(findings: list[Finding]) -> list[Finding]:
    """Growth that another finding on the same place explains better is left to that one."""
    told = {(finding.code, finding.manager, finding.start_method) for finding in findings}
    return [
        finding
        for finding in findings
        if not any((code, finding.manager, finding.start_method) in told for code in finding.evidence.get("told_by") or ())
    ]


def _once_per_manager(findings: list[Finding]) -> list[Finding]:
    """A manager's own trait is told once, not for each start method; a limit that was tried out in each of them is told there."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for finding in findings:
        key = (finding.code, finding.manager)
        if finding.blame == MANAGER and finding.manager != DIRECT and "limit" not in finding.evidence:
            if key in seen:
                continue
            seen.add(key)
        kept.append(finding)
    return kept
