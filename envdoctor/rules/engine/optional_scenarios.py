"""Lives in render modes without a request for them: what close() leaves there, and only there, is
worth a note and never more.

Who never renders loses nothing by it; who does asks with `-k render_mode=...`, and has it judged in
full.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from envdoctor.model.errors import one_line
from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.records import VerbRecord
from envdoctor.model.trace import FINISHED, TIMED_OUT, Trace
from envdoctor.rules.engine.registry import Rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.side_by_side import not_reproducible

_PAIRS = {
    "two-windows": 'two instances with render_mode="human"',
    "images": "two instances that draw",
    "copied": "an instance and its deep copy",
}


def only_rendered(rule: Rule, view: View, findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield notes: findings of a rule on leftovers in a rendered life that the plain life does not
    have.
    """
    if not rule.judges_rendered or any(
        finding.code == rule.code and finding.manager == view.manager for finding in findings
    ):
        return
    result: dict[str, list[tuple[Trace, Finding]]] = {}
    for lifecycle in rendered_traces(view):
        for finding in rule.judge(as_life(view, lifecycle)) if not failure(lifecycle) else ():
            result.setdefault(finding.message, []).append((lifecycle, finding))
    for message, known in result.items():
        yield known[0][1].but(
            message=f"{message}{in_mode(*(trace for trace, _ in known))}", severity=NOTE
        )


def left_out(rule: Rule, view: View) -> Iterator[str]:
    """Yield the reasons why a part could not be judged: render modes, copies, two that are not
    reproducible alone.
    """
    for lifecycle in rendered_traces(view) if rule.reports_render_modes else ():
        reason = failure(lifecycle)
        if reason:
            yield f'render_mode="{mode(lifecycle)}" could not be played: {reason}'
    if rule.compares_pairs:
        yield from filter(
            None,
            (
                not_reproducible(view),
                *(_unjudged(optional_trace) for optional_trace in view.optional_traces),
            ),
        )


def _unjudged(trace: Trace) -> str:
    """Return the reason why two windows, or an instance and its copy, cannot be judged. Without a
    screen, a library may be to blame itself for its end.
    """
    if trace.outcome.kind == FINISHED or not _PAIRS.get(trace.scenario.name):
        return ""
    return f"{_PAIRS[trace.scenario.name]} could not be played: {failure(trace)}"


def rendered_traces(view: View) -> list[Trace]:
    """The lives in render modes without a request for them."""
    return list(view.optional("rendered"))


def as_life(view: View, trace: Trace) -> View:
    """The view in which a rendered life is the plain one."""
    return replace(
        view,
        traces=(replace(trace, scenario=replace(trace.scenario, name="life")),),
        optional_traces=(),
    )


def failure(trace: Trace) -> str:
    """Return the reason why a scenario did not end without an error, or nothing."""
    if trace.outcome.kind != FINISHED:
        return _how_it_ended(trace)
    raised = next(trace.records(VerbRecord, state="raised"), None)
    return one_line(raised.error) if raised else ""


def _how_it_ended(trace: Trace) -> str:
    if trace.outcome.kind == TIMED_OUT:
        return f"it did not come back from {trace.outcome.verb} for {trace.outcome.seconds:.0f} s"
    if trace.outcome.starved:
        return f"the machine was too busy for {trace.outcome.verb or 'it'}"
    how = trace.outcome.signal or trace.outcome.reason or f"exit code {trace.outcome.exit_code}"
    return f"the process ended in {trace.outcome.verb or 'the middle of it'} ({how})"


def mode(trace: Trace) -> str:
    """The render mode that a scenario was played in."""
    return str(trace.scenario.option("render_mode"))


def in_mode(*traces: Trace) -> str:
    """`, with render_mode="human" only`."""
    modes = " or ".join(f'"{mode(trace)}"' for trace in traces)
    return f", with render_mode={modes} only"
