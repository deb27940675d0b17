"""Evidence that a rule needs before it passes: every scenario that its page promises, played to the
end of each verb that it looks at.

A rule that found something has seen enough. One that found nothing passes only where nothing was
missing; otherwise it is not judged, with the first missing thing as the reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from envdoctor.model.errors import ErrorValue, one_line
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import BEGINNINGS, DIRECT, verb_name
from envdoctor.model.trace import FINISHED, TIMED_OUT, Trace
from envdoctor.rules.engine.view import View

#: A whole lifecycle, which most rules on leftovers look at.
LIFECYCLE = "make reset step close drop"


def missing_evidence(view: View, looks_at: Collection[tuple[str, str]]) -> str:
    """Return the reason why some of the scenarios and verbs that a rule looks at were not played,
    or nothing. Under a manager, only its lifecycle is played.
    """
    for scenario, verbs in looks_at:
        if scenario != "life" and not view.is_direct:
            continue
        trace = view.trace(scenario)
        if trace is None:
            return why_left_out(view, scenario) or f"{_title(scenario)} was not played"
        for name in verbs.split():
            known = name.rstrip("?")
            if known in _lacking(view) or (name != known and trace.reached(known)):
                continue
            reason = _unended(trace, known)
            if reason:
                left_out = f"{_call(trace, known)} was left out"
                return why_left_out(view, scenario, left_out) or reason
    return ""


def why_left_out(view: View, scenario: str, what: str = "") -> str:
    """Return the reason why a scenario, or the rest of it (`what`), was left out of the plan; empty
    where it was not.
    """
    known = view.survey.left_out
    reason = known.get(scenario) if view.is_direct else ""
    return f"{reason}, so {what or f'{_title(scenario)} was not played'}" if reason else ""


def unfinished(traces: Iterable[Trace]) -> str:
    """Return the reason why the first unfinished trace of these did not come to its end, or
    nothing.
    """
    cut = (_ended_early(trace) for trace in traces if trace.outcome.kind != FINISHED)
    return next(cut, "")


def _title(scenario: str) -> str:
    return "the plain lifecycle" if scenario == "life" else f"the scenario {scenario}"


def _lacking(view: View) -> tuple[str, ...]:
    return view.survey.lacks


def _unended(trace: Trace, name: str) -> str:
    """Return the reason why the last call of a verb in a scenario did not end well, or nothing."""
    events = trace.verbs(name)
    if events and events[-1].state == "ended" and not _cut_before(trace, name):
        return ""
    raised = [event for event in events if event.state == "raised"]
    if raised:
        return _raises(trace, raised[-1])
    if events:
        return _ended_early(trace)
    return why_unreached(trace) or f"{_call(trace, name)} was not reached"


def why_unreached(trace: Trace) -> str:
    """Return the reason why a scenario did not reach its later verbs, or nothing: one reason for
    all of them.
    """
    if trace.outcome.kind != FINISHED:
        return _ended_early(trace)
    first = next(trace.records(VerbRecord, state="raised"), None)
    return "" if first is None else _raises(trace, first)


def never_made(view: View) -> str:
    """Return the reason why the plain lifecycle of a place never had an instance, or nothing."""
    traces = view.all("life")
    if not traces or any(trace.verbs("make", "ended") for trace in traces):
        return ""
    return why_unreached(traces[-1])


def _raises(trace: Trace, event: VerbRecord) -> str:
    call = _call(trace, verb_name(event.verb))
    return f"{call} raises {_kind(event.error)}, so the rest was not seen"


def _cut_before(trace: Trace, name: str) -> bool:
    """Return True if the process was gone before the last call of a verb that its script has."""
    if trace.outcome.kind == FINISHED:
        return False
    asked = [verb_name(word) for word in trace.scenario.script.split()].count(name)
    return len([verb for verb in trace.verbs(name) if verb.state == "ended"]) < asked


def _ended_early(trace: Trace) -> str:
    if trace.outcome.own:
        return f"{trace.outcome.reason}, so the rest was not played"
    if not trace.outcome.verb:
        return f"the process ended between two calls ({trace.outcome.kind})"
    call = _call(trace, verb_name(trace.outcome.verb))
    if trace.outcome.kind == TIMED_OUT:
        return f"{call} hangs, so the rest was not played"
    if trace.outcome.starved:
        return f"the machine was too busy for {call}, so the rest was not played"
    how = trace.outcome.signal or trace.outcome.kind
    return f"the process ended in {call} ({how}), so the rest was not played"


def _call(trace: Trace, name: str) -> str:
    """Return the name of a verb in sentences: under a manager, `make` is its launch."""
    manager = trace.scenario.manager
    words = {
        "make": "the constructor" if manager == DIRECT else f"the launch of {manager}",
        "free": "the end of the instance",
        "drop": "the end of the instance",
        "episode": "step()",
        "picture": "render()",
        BEGINNINGS: "one of many episodes",
    }
    return words.get(name, f"{name}()")


def _kind(error: ErrorValue | None) -> str:
    """`RuntimeError` of an error value."""
    return one_line(error).partition(":")[0]
