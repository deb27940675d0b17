"""How far whole episodes were followed: traces in, values for the report out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from envdoctor.model.events import one_line
from envdoctor.model.report import EpisodeReport
from envdoctor.model.trace import FINISHED, INTERRUPTED, TIMED_OUT, Trace


def summarise(traces: Iterable[Trace]) -> tuple[EpisodeReport, ...]:
    """One entry for each place and mode, in the order of play."""
    return tuple(
        _of(trace)
        for trace in traces
        if trace.scenario.traits.whole_episodes
        and not trace.scenario.control
        and trace.outcome.kind != INTERRUPTED
    )


def _of(trace: Trace) -> EpisodeReport:
    played = next(iter(trace.verbs("episode", "ended")), None) or {}
    episodes = played.get("episodes") or ()
    return EpisodeReport(
        *trace.scenario.place,
        mode=str(dict(trace.scenario.options).get("autoreset_mode", "")),
        steps=int(played.get("steps", 0)),
        longest=max((int(one.get("step", 0)) for one in episodes), default=0),
        ended=dict(sorted(Counter(str(one.get("how", "")) for one in episodes).items())),
        bound=str(played.get("bound", "")),
        failed="" if played else _failure(trace),
    )


def _failure(trace: Trace) -> str:
    """What kept an episode from its end."""
    raised = next(trace.of("verb", state="raised"), None)
    if raised is not None:
        at = f" at step {raised['step']}" if raised.get("step") else ""
        return f"{one_line(raised.get('error'))}{at}"
    if trace.outcome.kind == TIMED_OUT:
        return "it hangs"
    return "" if trace.outcome.kind == FINISHED else "the process ended"
