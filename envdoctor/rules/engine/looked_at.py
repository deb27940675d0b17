"""What a rule has to have seen before it passes: every scenario that its page promises, played to
the end of each verb that it looks at.

A rule that found something has seen enough. One that found nothing passes only where nothing was
missing; else it is not judged, with the first thing that was missing as the reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from envdoctor.model.errors import ErrorValue, one_line
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import DIRECT, verb_name
from envdoctor.model.trace import FINISHED, TIMED_OUT, Trace
from envdoctor.rules.engine.view import View

#: A whole lifecycle, which most rules on leftovers look at.
LIFECYCLE = "make reset step close drop"


def missing_evidence(view: View, looks_at: Collection[tuple[str, str]]) -> str:
    """Why not all was played that a rule looks at (scenario and verbs), or nothing. Under a
    manager, only its lifecycle is played.
    """
    for scenario, verbs in looks_at:
        if scenario != "life" and not view.is_direct:
            continue
        played = view.trace(scenario)
        if played is None:
            return why_left_out(view, scenario) or f"{_title(scenario)} was not played"
        for name in verbs.split():
            known = name.rstrip("?")
            if known in _lacking(view) or (name != known and played.reached(known)):
                continue
            reason = _unended(played, known)
            if reason:
                left_out = f"{_call(played, known)} was left out"
                return why_left_out(view, scenario, left_out) or reason
    return ""


def why_left_out(view: View, scenario: str, what: str = "") -> str:
    """Why a scenario was left out of the plan, or the rest of it (`what`); nothing where it was
    not.
    """
    known = view.survey.left_out
    reason = known.get(scenario) if view.is_direct else ""
    return f"{reason}, so {what or f'{_title(scenario)} was not played'}" if reason else ""


def unfinished(played: Iterable[Trace]) -> str:
    """Why the first of these that did not come to its end did not, or nothing."""
    cut = (_ended_early(one) for one in played if one.outcome.kind != FINISHED)
    return next(cut, "")


def _title(scenario: str) -> str:
    return "the plain lifecycle" if scenario == "life" else f"the scenario {scenario}"


def _lacking(view: View) -> tuple[str, ...]:
    return view.survey.lacks


def _unended(played: Trace, name: str) -> str:
    """Why the last call of a verb in a scenario did not come to a good end, or nothing."""
    events = played.verbs(name)
    if events and events[-1].state == "ended" and not _cut_before(played, name):
        return ""
    raised = [event for event in events if event.state == "raised"]
    if raised:
        return _raises(played, raised[-1])
    if events:
        return _ended_early(played)
    return why_unreached(played) or f"{_call(played, name)} was not reached"


def why_unreached(played: Trace) -> str:
    """Why a scenario did not reach its later verbs, or nothing: one reason for all of them."""
    if played.outcome.kind != FINISHED:
        return _ended_early(played)
    first = next(played.records(VerbRecord, state="raised"), None)
    return "" if first is None else _raises(played, first)


def never_made(view: View) -> str:
    """Why the plain lifecycle of a place never had an instance, or nothing."""
    played = view.all("life")
    if not played or any(trace.verbs("make", "ended") for trace in played):
        return ""
    return why_unreached(played[-1])


def _raises(played: Trace, event: VerbRecord) -> str:
    call = _call(played, verb_name(event.verb))
    return f"{call} raises {_kind(event.error)}, so the rest was not seen"


def _cut_before(played: Trace, name: str) -> bool:
    """Whether the process was gone before the last call of a verb that its script has."""
    if played.outcome.kind == FINISHED:
        return False
    asked = [verb_name(word) for word in played.scenario.script.split()].count(name)
    return len([one for one in played.verbs(name) if one.state == "ended"]) < asked


def _ended_early(played: Trace) -> str:
    if played.outcome.own:
        return f"{played.outcome.reason}, so the rest was not played"
    if not played.outcome.verb:
        return f"the process ended between two calls ({played.outcome.kind})"
    call = _call(played, verb_name(played.outcome.verb))
    if played.outcome.kind == TIMED_OUT:
        return f"{call} hangs, so the rest was not played"
    if played.outcome.starved:
        return f"the machine was too busy for {call}, so the rest was not played"
    how = played.outcome.signal or played.outcome.kind
    return f"the process ended in {call} ({how}), so the rest was not played"


def _call(played: Trace, name: str) -> str:
    """How a verb is called: under a manager, `make` is its launch."""
    manager = played.scenario.manager
    words = {
        "make": "the constructor" if manager == DIRECT else f"the launch of {manager}",
        "drop": "the end of the instance",
        "episode": "step()",
    }
    return words.get(name, f"{name}()")


def _kind(error: ErrorValue | None) -> str:
    """`RuntimeError` of an error value."""
    return one_line(error).partition(":")[0]
