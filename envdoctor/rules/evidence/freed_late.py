"""A closed instance that is collected while the next one is played, and what that does to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envdoctor.model.errors import ErrorValue, one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.scenario import FREED_LATE
from envdoctor.model.trace import Trace
from envdoctor.rules.close.cls012_instance_outlives_close import survivors_of_close
from envdoctor.rules.engine.examples import fact, trace, verb
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.broken_calls import broken_call, call_in
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
    evidence: Mapping[str, Any]
    error: ErrorValue | None = None


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
        call, error = call_in(broken), broken.error
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


def freed_late(last: Event, compared: Mapping[str, Any]) -> Trace:
    """The scenario with its `last` call and what was compared, for examples."""
    return trace(
        *(verb("make"), verb("reset@0", at=1), verb("step:3@0", at=2, steps=3)),
        *(verb("close@0", at=3), verb("make", at=4), verb("reset@1", at=5)),
        *(verb("step:3@1", at=6, steps=3), verb("drop@0", at=7), last),
        fact("side-by-side", compared),
        name=FREED_LATE,
        script="make reset@0 step:3@0 close@0 make reset@1 step:3@1 drop@0 step:3@1 close@1 drop",
    )
