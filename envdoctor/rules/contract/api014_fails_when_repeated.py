"""A call fails in some of many episodes.

What it does
    Repeats the environment: whole lifecycles with the same seed and actions, and resets of one
    instance that stays open, with some hundred steps at least. An error of the constructor, of
    reset(), step(), render() or close() does not end that: it is counted, and reported here with
    its line.

Why it matters
    A training makes millions of calls. What fails in one of a thousand ends it on the first day, in
    one worker of many, with a traceback that is hard to find.

How to fix it
    Repair the line that is shown. Where a state can really not go on, end the episode:

        if self._fuel < 0:
            return observation, reward, True, False, {}    # terminated
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.frameworks import says_full
from envdoctor.model.environment_aims import Mend, Unblock
from envdoctor.model.errors import kind_of, one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.finding import Finding
from envdoctor.model.records import CycleErrorRecord
from envdoctor.model.remedy import Aim
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, raised, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.blocking_state import (
    blocking_places,
    effect_on_second,
    how_to_unblock,
    raises_in,
    with_blocking_place,
)
from envdoctor.rules.evidence.circumstances import raised_again
from envdoctor.rules.evidence.episodes import moment
from envdoctor.rules.evidence.growth import is_function
from envdoctor.rules.evidence.repeated import CAUSES, calls_counted, too_few_steps
from envdoctor.rules.evidence.tasks import sessions_held
from envdoctor.rules.wording.error_cures import known_cure
from envdoctor.rules.wording.leftovers import place_of

CALLS = {
    "create": "the constructor",
    "reset": "reset()",
    "step": "step()",
    "render": "render()",
    "close": "close()",
}
METHODS = {"create": "__init__"}


@rule(
    "API014",
    "fails-when-repeated",
    explains=Cause.FAILS_AGAIN,
    where=DIRECT_ONLY,
    needs=("leak", "leak-open"),
    meters=("objects",),
    of_functions=True,
    unjudged=too_few_steps,
    also_reads=(EVERYTHING,),
    in_leak_check=True,
)
def fails_when_repeated(view: View) -> Iterator[Finding]:
    for operation, first in _first_errors(view).items():
        error = first.error
        failed, calls = calls_counted(view, operation)
        if _always(view, operation, failed, calls):
            continue
        text, method = one_line(error), METHODS.get(operation, operation)
        called, mended = CALLS[operation], f"{view.class_name}.{method}()"
        if is_function(view):
            called = mended = f"{view.class_name}()"
        message = f"{called} raises {text}, in {failed} of {calls} calls{_first_moment(first)}"
        if operation == "reset" and raised_again(view) is not None:
            message = f"each reset() of an instance but its first raises {text}"
        blocks = operation == "reset" and raises_in(view, "two-at-once", error)
        blocking = blocking_places(view) if blocks else ()
        known = known_cure(kind_of(error), error.message) if error else ""
        repair = known or f"Repair {mended}, at the line that is shown."
        mend: Aim | None = Mend(error) if error else None
        if blocking:
            message += effect_on_second(blocking, was_closed=True)
            repair, mend = how_to_unblock(view, blocking), Unblock(blocking)
        yield fails_when_repeated.finding(
            message,
            repair,
            aim=mend,
            location=place_of(error) or view.locate(method),
            evidence={"error": wire_of(error), "failed": failed, "calls": calls},
            key=(operation, kind_of(error)),
        )


def _first_moment(event: CycleErrorRecord) -> str:
    """`; first at step 1 of episode 91`, or nothing where no step was made."""
    at = moment(event.episode, event.step)
    return f"; first{at.removeprefix(',')}" if at else ""


def _first_errors(view: View) -> dict[str, CycleErrorRecord]:
    """The first failure of each operation in cycles, {operation: event}; without those of a server
    that is full of sessions which close() leaves.
    """
    first_errors: dict[str, CycleErrorRecord] = {}
    held = bool(sessions_held(view))
    for run in view.traces:
        if run.scenario.traits.growth in CAUSES:  # containers were cut back there
            continue
        for event in run.records(CycleErrorRecord):
            if not (held and says_full(event.error)):
                first_errors.setdefault(event.operation, event)
    return first_errors


def _always(view: View, operation: str, failed: int, calls: int) -> bool:
    """Return True if it fails in the plain life, too, where other rules report it."""
    verb_of = {"create": "make"}.get(operation, operation)
    life = view.trace("life")
    return failed == 0 or (
        failed == calls and life is not None and bool(life.verbs(verb_of, "raised"))
    )


def _repeated(step_raised: int) -> View:
    error = raised("IndexError", "list index out of range", "arm.py", 31, "step")
    meters = {"before": {"objects": 1}, "after": {"objects": 1}}
    block = {"creates": 7, "resets": 7, "steps": 140, "step_raised": step_raised, **meters}
    at = {"operation": "step", "error": error, "episode": 2, "step": 17}
    texts = [{"event": "raised", "t": 0.0, "pid": 1, **at}]
    return direct_view(
        trace(*(texts if step_raised else []), verb("block:7x1x20", block=block), name="leak")
    )


_REUSED = (
    verb("reset", "began", at=1, resets=0),
    verb("reset", at=1),
    verb("reset", "began", at=2, resets=1),
    verb("reset", "raised", at=2, error=raised()),
    verb("reseed", "began", at=3, resets=1),
    verb("reseed", "raised", at=3, error=raised()),
)


def _again(*events: Event, name: str = "reuse") -> View:
    block = {"creates": 0, "resets": 7, "reset_raised": 6, "steps": 140}
    meters = {"before": {"objects": 1}, "after": {"objects": 1}}
    error = {"event": "raised", "t": 0.0, "pid": 1, "operation": "reset", "error": raised()}
    cycles = trace(error, verb("block:7x1x20", block={**block, **meters}), name="leak-open")
    return direct_view(cycles, trace(*events, name=name))


EXAMPLES = (
    Example(
        "what ends a run also ends the connection",
        _again(*_REUSED),
        "each reset() of an instance but its first raises RuntimeError: no",
    ),
    Example(
        "one of the later ones comes back",
        _again(*_REUSED, verb("reset", "began", at=4, resets=1), verb("reset", at=4)),
        "reset() raises RuntimeError: no, in 6 of 7 calls",
    ),
    Example(
        "now and then",
        _repeated(3),
        "step() raises IndexError: list index out of range, in 3 of 140 calls; first at"
        " step 17 of episode 2",
    ),
    Example("never", _repeated(0)),
    Example(
        "what close() leaves in a module keeps the next episode from beginning",
        with_blocking_place(
            _again(
                verb("make"),
                verb("reset", at=1),
                verb("reset", "raised", at=3, error=raised()),
                name="two-at-once",
            ),
            kind="module",
            name="traci.connections",
        ),
        "reset() raises RuntimeError: no, in 6 of 7 calls; it works if traci.connections,"
        " which the module keeps, has what it had before the first one",
    ),
)
