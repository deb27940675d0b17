"""Closed instances that live on, and the harm that freeing one late does to the next one."""

from __future__ import annotations

from collections.abc import Mapping

from envdoctor.model.errors import ErrorValue, one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.facts import Survivors
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.scenario import FREED_LATE, verb_name
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import fact, trace, verb
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.broken_calls import broken_call
from envdoctor.rules.evidence.side_by_side import changes_in

NEXT = 1  # the number of the instance that is made after the closed one


@dataclass(frozen=True)
class Harm:
    """The call of the next instance that raises an `error`, or returns something else, since the
    closed one was collected: in `words`, for "a closed instance ... when it is freed: ...".
    """

    call: str
    verb: str
    words: str
    evidence: Mapping[str, object]
    error: ErrorValue | None = None


def survivors_of_close(view: View) -> Survivors | None:
    """Return the instances that outlived the end of the last life, None without any or if close()
    was cut short. An earlier life does not count: a cache of one instance keeps the first for good,
    and never a second.
    """
    run, life = view.trace("life"), view.last_life()
    if run is None or life is None or cut_short(view):
        return None
    result = [
        survivors
        for survivors in run.facts(Survivors)
        if survivors.life == life.number and survivors.closed
    ]
    return result[-1] if result else None


def cut_short(view: View) -> str:
    """Return the reason why close() may not have let go of all that it means to: it raises before
    its last line.
    """
    run = view.trace("life")
    errors = [event.error for event in run.verbs("close", "raised")] if run else []
    kind = next((one_line(error) for error in errors if error and not error.last), "")
    return (
        f"close() raises {kind.partition(':')[0]} before its last line, so what it would have let"
        " go of was not seen"
        if kind
        else ""
    )


def harm_of_freeing(view: View) -> Harm | None:
    """The harm to the next instance; None where it does all that one does alone."""
    run, alone = view.trace(FREED_LATE), view.trace("life")
    freed = run.verbs("drop", "ended")[:1] if run else []
    if run is None or alone is None or not freed:
        return None
    broken = broken_call(run, alone)
    if broken is not None:
        if broken.at < freed[0].at:
            return None
        call, error = verb_name(broken.verb), broken.error
        words = f"{call}() raises {one_line(error)}"
        evidence = {"scenario": FREED_LATE, "error": wire_of(error)}
        return Harm(call, "breaks the next one", words, evidence, error)
    changed = [each for each in changes_in(run) if each.number == NEXT]
    if not changed or changed[0].at < freed[0].at:
        return None
    comparison = changed[0].comparison
    does = "changes what the next one returns"
    evidence = {"scenario": FREED_LATE, "changed": comparison.as_json()}
    return Harm(comparison.first.call, does, changed[0].words, evidence)


def freeing_unseen(view: View) -> str:
    """Return why it is not known what a closed instance that waits for the collector does to the
    next one, or nothing.
    """
    survivors, is_played = survivors_of_close(view), view.trace(FREED_LATE) is not None
    waits = survivors is not None and bool(survivors.dropped) and not survivors.collected
    if waits and not is_played:
        return "what freeing a closed instance does to the next one was not played"
    if is_played and view.trace("life") is None:
        return "what freeing a closed instance does was not compared with an instance alone"
    return ""


def freed_late(last: Event, compared: Mapping[str, object]) -> Trace:
    """The scenario with its `last` call and what was compared, for examples."""
    return trace(
        *(verb("make"), verb("reset@0", at=1), verb("step:3@0", at=2, steps=3)),
        *(verb("close@0", at=3), verb("make", at=4), verb("reset@1", at=5)),
        *(verb("step:3@1", at=6, steps=3), verb("drop@0", at=7), last),
        fact("side-by-side", compared),
        name=FREED_LATE,
        script="make reset@0 step:3@0 close@0 make reset@1 step:3@1 drop@0 step:3@1 close@1 drop",
    )
