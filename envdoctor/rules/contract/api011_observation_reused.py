"""A returned value is changed later, or step() writes into its action.

What it does
    Holds the observations and infos of the last calls and looks whether a later reset() or step()
    changes their contents. An object that is handed out again and again but never changed is not
    reported. Where a wrapper holds what changes, and the environment returns nothing of the kind
    without it, the wrapper is named.

    Compares the arrays of each action after step() with what they were before.

    Then it overwrites the arrays of each observation, and in another life those of each info, once
    they were returned, and compares the life with one in which nothing is written: what else the
    environment returns then is a note, for few agents write into what they were given. Where lives
    with one seed differ anyway, that is not judged.

Why it matters
    A replay buffer that keeps what it was given holds a hundred references to the same array: every
    stored observation is the last one. Training runs, and learns nothing. An action that step()
    scales in place is stored as another one than the policy chose.

How to fix it
    Hand out a copy:

        return self._observation.copy(), reward, terminated, truncated, dict(self._info)

    Calculate with new arrays:

        action = action * self.scale  # not: action *= self.scale
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace

from envdoctor.frameworks import DEFAULT
from envdoctor.model.environment_aims import CopyAction, CopyReturned
from envdoctor.model.errors import one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.facts import ActionChanged, ChangedLater, SideBySide, as_json
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import OVERWRITTEN
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import (
    compared,
    direct_view,
    fact,
    longer_pair,
    raised,
    trace,
    verb,
)
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import (
    MORE_SEEDS,
    fresh_ones_differ,
    moment,
    unseeded_evidence,
    what_differs,
)
from envdoctor.rules.evidence.layers import holder_of_returned, with_layers, wrapped_evidence

WRITTEN = ("observation", "info")  # in the second life, and in the third
CALLS = ("reset", "step")


@dataclass(frozen=True)
class EffectOfWriting:
    """`what` was overwritten, the `call` in which it shows, and what happens, as a predicate."""

    what: str
    call: str
    words: str
    evidence: dict[str, object] = field(default_factory=dict)


def effects_of_writing(view: View) -> Iterator[EffectOfWriting]:
    """The first effect: what it leaves may show in the lives that follow. What differs where the
    same seed gives something else anyway is not an effect of it.
    """
    is_repeatable = not fresh_ones_differ(view)
    for overwriting in view.optional(OVERWRITTEN)[-1:]:
        reported = overwriting.fact(SideBySide)
        if reported is None or reported.alone.differs or not reported.alone.calls:
            continue
        failed = next(overwriting.records(VerbRecord, state="raised"), None)
        for number, comparison in enumerate(reported.instances):
            if comparison.differs and is_repeatable:
                words = what_differs(comparison.first, "then", "and otherwise")
                yield EffectOfWriting(
                    WRITTEN[number],
                    comparison.first.call,
                    f"changes what follows: {words}, {moment(comparison.first)}",
                    {"comparison": comparison.as_json(), **unseeded_evidence(view)},
                )
                return
            if failed is not None and _life_of(overwriting, failed) == number + 1:
                yield from _breaking(WRITTEN[number], failed)
                return


def _breaking(what: str, failed: VerbRecord) -> Iterator[EffectOfWriting]:
    call = failed.verb.partition(":")[0]
    if call in CALLS and failed.error is not None:
        words = f"makes {call}() raise {one_line(failed.error)}"
        yield EffectOfWriting(what, call, words, {"error": wire_of(failed.error)})


def _life_of(overwriting: Trace, event: VerbRecord) -> int:
    """The number of the life in which a verb is played, where the scenario came to its end."""
    if overwriting.outcome.kind != FINISHED:
        return -1
    verbs = overwriting.scenario.verbs[: event.at]
    return sum(verb.name == "drop" for verb in verbs)


@rule(
    "API011",
    "observation-reused",
    explains=Cause.OBSERVATION_REUSED,
    severity="warning",
    where=DIRECT_ONLY,
    needs=("reuse", OVERWRITTEN),
    verb="step",
    looks_at={"reuse": "reset step"},
    also_reads=("layers", MORE_SEEDS),
    follow_ups=("layers", MORE_SEEDS),
)
def observation_reused(view: View) -> Iterator[Finding]:
    run = view.trace("reuse")
    for change in run.facts(ChangedLater) if run else ():
        what = change.what
        holder = holder_of_returned(view, what)
        name = holder.class_name.rpartition(".")[2] if holder else view.class_name
        again = f", which returns the same {change.type} again" if change.same else ""
        yield observation_reused.finding(
            f"the {what} that {change.returned_by}() returned is changed by a later"
            f" {change.changed_by}(){again}: {what_differs(change.first, 'first', 'and then')}",
            f"let {name} return a copy of its {what}, in reset() as well as in step().",
            aim=CopyReturned(what, change.type == "ndarray", name if holder else ""),
            location=(holder and holder.place(change.changed_by)) or view.locate(change.changed_by),
            key=(what, change.returned_by),
            evidence={"change": as_json(change), **wrapped_evidence(view)},
        )
    yield from _written_actions(view)
    # One that is written over anyway needs the same cure.
    changed = {change.what for change in run.facts(ChangedLater)} if run else set()
    for effect in effects_of_writing(view):
        if effect.what in changed:
            continue
        around = _keepers(view)
        yield observation_reused.finding(
            f"what is written into the {effect.what} that it returned {effect.words}",
            f"let {view.class_name}{around} return a copy of its {effect.what}, in reset() as well"
            " as in step(): an agent that changes it in place changes the environment.",
            aim=None if around else CopyReturned(effect.what, effect.what == "observation"),
            location=view.locate(effect.call),
            severity=NOTE,
            key=("written", effect.what),
            evidence=effect.evidence,
        )


def _keepers(view: View) -> str:
    """` or X around it`, the wrappers that may keep what was returned: TerminateIllegalWrapper of
    PettingZoo looks the next action up in the mask that it handed out. Those of Gymnasium do not.
    """
    names = [
        wrapper.name.rpartition(".")[2]
        for wrapper in view.survey.wrappers
        if wrapper.library != DEFAULT.package
    ]
    return f", or {' or '.join(names)} around it," if names else ""


def _written_actions(view: View) -> Iterator[Finding]:
    """A finding on the action that step() writes into."""
    run = view.trace("reuse")
    for change in run.facts(ActionChanged) if run else ():
        holder = holder_of_returned(view, "action")
        name = holder.class_name.rpartition(".")[2] if holder else view.class_name
        yield observation_reused.finding(
            f"step() writes into the action that it is given:"
            f" {what_differs(change.first, 'before', 'and')} afterwards",
            f"let {name}.step() calculate with a copy of its action: who chose it keeps the array,"
            " and stores it with what came of it.",
            aim=CopyAction(name if holder else ""),
            location=(holder and holder.place("step")) or view.locate("step"),
            key=("action", "step"),
            evidence={"change": as_json(change), **wrapped_evidence(view)},
        )


def _changed(what: str, key: str, kind: str, **values: object) -> Event:
    change = {
        "what": what,
        "key": key,
        "id": 1,
        "type": kind,
        "returned_by": "reset",
        "changed_by": "step",
        "same": True,
    }
    return fact(
        "changed-later",
        {**change, "difference": "value", "place": None, "values": ["0.0", "1.0"], **values},
    )


_SHARED = {
    "call": "step",
    "step": 1,
    "key": "observation",
    "what": "value",
    "place": [0],
    "values": ["0.9", "0.4"],
}


def _written(difference: object, *events: Event, alone: object = None) -> View:
    """Lives whose observations are overwritten in the second one."""
    results = [{"calls": 9, "difference": item} for item in (alone, difference, None)]
    values = fact("side-by-side", {"alone": results[0], "instances": results[1:]})
    script = " ".join(3 * ["make reset step:20 close drop"])
    run = trace(*events, values, name=OVERWRITTEN, script=script)
    return replace(direct_view(), optional_traces=(run,))


_BUFFER = direct_view(
    trace(_changed("observation", "observation", "ndarray", place=[0]), name="reuse")
)
_SAME_ARRAY = (
    "the observation that reset() returned is changed by a later step(), which returns the same"
    " ndarray again: observation[0] is 0.0 first and then 1.0"
)

_SCALED = direct_view(
    trace(
        fact(
            "action-changed",
            {
                "type": "ndarray",
                "key": "action",
                "difference": "value",
                "place": [0],
                "values": ["0.5", "0.01"],
            },
        ),
        name="reuse",
    )
)
_SCALED_ACTION = (
    "step() writes into the action that it is given: action[0] is 0.5 before and 0.01 afterwards"
)

EXAMPLES = (
    Example("one buffer for all observations", _BUFFER, _SAME_ARRAY),
    Example(
        "a list in the info goes on growing",
        direct_view(
            trace(
                _changed(
                    "info",
                    "info['visited']",
                    "dict",
                    same=False,
                    difference="length",
                    values=["1", "2"],
                ),
                name="reuse",
            )
        ),
        "the info that reset() returned is changed by a later step(): the length of"
        " info['visited'] is 1 first and then 2",
    ),
    Example(
        "a wrapper's buffer",
        with_layers(
            _BUFFER,
            {"class": "frames.FrameStack", "changed": {"observation": True}},
            {"class": "frames.Pixels"},
        ),
        _SAME_ARRAY,
    ),
    Example(
        "an agent's writes reach the state",
        _written(_SHARED),
        "what is written into the observation that it returned changes what follows:"
        " observation[0] is 0.9 then and otherwise 0.4, at step 1",
    ),
    Example(
        "they make a later step() raise",
        _written(None, verb("step:20", "raised", at=7, error=raised("ValueError", "boom"))),
        "what is written into the observation that it returned makes step() raise ValueError: boom",
    ),
    Example("an action is scaled in place", _SCALED, _SCALED_ACTION),
    Example(
        "a wrapper scales it in place",
        with_layers(
            _SCALED, {"class": "actions.Scaled", "changed": {"action": True}}, {"class": "arms.Arm"}
        ),
        _SCALED_ACTION,
    ),
    Example("lives differ anyway", _written(_SHARED, alone=_SHARED)),
    Example(
        "two lives agree by chance, and two others with one seed do not",
        replace(_written(_SHARED), traces=(compared("same-seed"),)),
    ),
    Example(
        "lives agree by chance",
        replace(_written(_SHARED), traces=(compared("same-seed", False), longer_pair())),
    ),
    Example("the agent's writes change nothing", _written(None)),
    Example("each is its own", direct_view(trace(name="reuse"))),
)
