"""The length of whole episodes, and how managers treat their ends."""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.errors import one_line
from envdoctor.model.facts import EndedAlone, EndUnread, LastStep
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import BEGINNINGS, DIRECT, EPISODE, EPISODES, verb_name
from envdoctor.model.trace import FINISHED, TIMED_OUT, Trace
from envdoctor.model.units import ordinal
from envdoctor.rules.engine.looked_at import missing_evidence
from envdoctor.rules.engine.view import View

MODES = {
    "episode-same-step": ' with autoreset_mode="SameStep"',
    "episode-disabled": ' with autoreset_mode="Disabled"',
}


def ends(view: View) -> list[EndedAlone]:
    """Return comparisons of this manager's ends of episodes with one instance that played the same
    calls alone.
    """
    trace = view.direct.trace("episode-alone")
    return [
        comparison
        for comparison in (trace.facts(EndedAlone) if trace else ())
        if (comparison.manager, comparison.start_method) == (view.manager, view.start_method)
    ]


def compared(view: View) -> list[EndedAlone]:
    """Those of which both sides reached the same end in the same way."""
    return [end for end in ends(view) if end.alone and end.under and not end.difference]


def by_mode(comparisons: list[EndedAlone]) -> Iterator[tuple[str, list[EndedAlone]]]:
    """Yield the comparisons for each way in which a manager goes on after an end, with its name."""
    for name in EPISODES:
        result = [comparison for comparison in comparisons if comparison.scenario == name]
        if result:
            yield MODES.get(name, ""), result


def not_followed(view: View) -> str:
    """Return the reason why the ends of episodes cannot be judged in a place, or nothing."""
    if view.is_direct:
        return no_end(view) or "no episode was followed under a manager"
    comparisons = ends(view)
    if not comparisons:
        return _why(view.trace(EPISODE)) or no_end(view.direct) or "nothing was compared"
    reasons = [comparison.skipped for comparison in comparisons if comparison.skipped]
    if len(reasons) == len(comparisons):
        return reasons[0]
    if not any(comparison.under for comparison in comparisons):
        return _why(view.trace(EPISODE)) or "no episode ended under the manager"
    return ""


def whole_episode_missing(view: View) -> str:
    """Return the reason why no whole episode was seen without a manager, or nothing. An end that
    was not reached within the bound is not a reason.
    """
    if not view.is_direct:
        return ""
    trace = view.trace(EPISODE)
    if trace is None:
        return "no whole episode was played"
    return end_unread(view) or ("" if trace.verbs("episode", "ended") else _why(trace))


def episodes_missing(view: View) -> str:
    """Return the reason why no whole episode was seen without a manager, or not the beginnings of
    many, or nothing.
    """
    reason = whole_episode_missing(view)
    if reason or view.api.one_episode:
        return reason
    return missing_evidence(view, ((BEGINNINGS, BEGINNINGS),))


def end_unread(view: View) -> str:
    """Return the reason why the end of an episode cannot be read, or nothing: later errors of
    step() may be due to that.
    """
    answer = next((fact for trace in view.traces for fact in trace.facts(EndUnread)), None)
    if answer is None:
        return ""
    values = f"{answer.values} value{'' if answer.values == 1 else 's'}"
    return f"step() returns {values}, which do not say when an episode is over"


def no_end(view: View) -> str:
    """Return the reason why no episode ended without a manager, or nothing."""
    return _why(next(iter(view.all(EPISODE)), None))


def _why(trace: Trace | None) -> str:
    """Return the reason why an episode did not end, or nothing."""
    if trace is None:
        return "no whole episode was played"
    ended = trace.verbs("episode", "ended")
    if ended:
        call = ended[-1]
        if call.episodes:
            return ""
        played_on = int(call.steps)
        steps = f"{played_on:,} {'step' if played_on == 1 else 'steps'}"
        within = steps if call.bound == "steps" else f"{float(call.seconds):.0f} s ({steps})"
        return f"no episode came to an end within {within}"
    raised = next(trace.records(VerbRecord, state="raised"), None)
    if raised is not None:
        return f"the episode was not played to its end: {one_line(raised.error)}"
    if trace.outcome.kind == TIMED_OUT:
        return "the episode was not played to its end: it hangs"
    if trace.outcome.kind != FINISHED:
        return "the episode was not played to its end: the process ended"
    return "the episode was not played to its end"


def moment(episode: int | None, step: int | None, verb: str = EPISODE) -> str:
    """`, at step 40 of an episode`, `, at step 1 after its 3rd reset without a seed`, or ``."""
    if verb == BEGINNINGS and episode:
        reset = f"its {ordinal(episode)} reset without a seed"
        return f", at step {step} after {reset}" if step else f", at {reset}"
    if not step:
        return ""
    number = episode or 1
    return f", at step {step} of {'an episode' if number == 1 else f'episode {number}'}"


def last_step(trace: Trace) -> tuple[int | None, int | None]:
    """In which episode and step of a whole episode a scenario hung or died."""
    last_step = trace.fact(LastStep)
    return (last_step.episode, last_step.step) if last_step else (None, None)


def last_moment(trace: Trace) -> str:
    """The `moment` of a hang or a death."""
    return moment(*last_step(trace), verb_name(trace.outcome.verb))


def managers_played(view: View) -> bool:
    """Return True if any manager was played."""
    return any(trace.scenario.manager != DIRECT for trace in view.other_places)


def followed_anywhere(view: View) -> bool:
    """Return True if an episode was followed under any manager."""
    return any(
        trace.scenario.manager != DIRECT and trace.scenario.whole_episodes
        for trace in view.other_places
    )
