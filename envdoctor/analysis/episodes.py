"""The length of whole episodes: traces in, values for the report out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from envdoctor.model.errors import one_line
from envdoctor.model.records import VerbRecord
from envdoctor.model.report import EpisodeReport
from envdoctor.model.trace import FINISHED, INTERRUPTED, TIMED_OUT, Trace


def summarise(traces: Iterable[Trace]) -> tuple[EpisodeReport, ...]:
    """One entry for each place and mode, in the order of play."""
    return tuple(
        _of(trace)
        for trace in traces
        if trace.scenario.whole_episodes
        and not trace.scenario.control
        and trace.outcome.kind != INTERRUPTED
    )


def _of(trace: Trace) -> EpisodeReport:
    call = next(iter(trace.verbs("episode", "ended")), None)
    episodes = call.episodes if call else ()
    return EpisodeReport(
        *trace.scenario.place,
        mode=str(trace.scenario.option("autoreset_mode")),
        steps=call.steps if call else 0,
        longest=max((episode.step for episode in episodes), default=0),
        ended=dict(sorted(Counter(episode.how for episode in episodes).items())),
        bound=call.bound if call else "",
        failed="" if call else _failure(trace),
    )


def _failure(trace: Trace) -> str:
    """Return the reason why an episode did not end."""
    raised = next(trace.records(VerbRecord, state="raised"), None)
    if raised is not None:
        at = f" at step {raised.step}" if raised.step else ""
        return f"{one_line(raised.error)}{at}"
    if trace.outcome.kind == TIMED_OUT:
        return "it hangs"
    return "" if trace.outcome.kind == FINISHED else "the process ended"
