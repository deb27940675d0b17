"""What was returned is changed afterwards.

What it does
    Holds the observations and infos of the last calls and looks whether a later reset() or step()
    changes their contents. An object that is handed out again and again but never changed is not
    reported. Where a wrapper holds what changes, and the environment returns nothing of the kind
    without it, the wrapper is named.

Why it matters
    A replay buffer that keeps what it was given holds a hundred references to the same array: every
    stored observation is the last one. Training runs, and learns nothing.

How to fix it
    Hand out a copy:

        return self._observation.copy(), reward, terminated, truncated, dict(self._info)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envdoctor.model.facts import ChangedLater, as_json
from envdoctor.model.finding import Finding
from envdoctor.model.remedy import CopyReturned
from envdoctor.rules.engine.examples import direct_view, fact, trace
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import what_differs
from envdoctor.rules.evidence.layers import holder_of_returned, with_layers, wrapped_evidence


@rule(
    "API011",
    "observation-reused",
    severity="warning",
    where=DIRECT_ONLY,
    needs=("reuse",),
    verb="step",
    looks_at={"reuse": "reset step"},
    also_reads=("layers",),
    follow_ups=("layers",),
)
def observation_reused(view: View) -> Iterator[Finding]:
    played = view.trace("reuse")
    for change in played.facts(ChangedLater) if played else ():
        what = change.what
        holder = holder_of_returned(view, what)
        name = holder.class_name.rpartition(".")[2] if holder else view.class_name
        again = f", which returns the same {change.type} again" if change.same else ""
        yield observation_reused.finding(
            f"the {what} that {change.returned_by}() returned is changed by a later"
            f" {change.changed_by}(){again}: {what_differs(change.first, 'first', 'and then')}",
            f"let {name} return a copy of its {what}, in reset() as well as in step().",
            aim=CopyReturned(what, change.type == "ndarray"),
            location=(holder and holder.place(change.changed_by)) or view.locate(change.changed_by),
            key=(what, change.returned_by),
            evidence={"change": as_json(change), **wrapped_evidence(view)},
        )


def _changed(what: str, key: str, kind: str, **told: Any) -> Any:
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
        {**change, "difference": "value", "place": None, "values": ["0.0", "1.0"], **told},
    )


_BUFFER = direct_view(
    trace(_changed("observation", "observation", "ndarray", place=[0]), name="reuse")
)
_SAME_ARRAY = (
    "the observation that reset() returned is changed by a later step(), which returns the same"
    " ndarray again: observation[0] is 0.0 first and then 1.0"
)

EXAMPLES = (
    Example(
        "one buffer for all observations",
        _BUFFER,
        (_SAME_ARRAY,),
    ),
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
        (
            (
                "the info that reset() returned is changed by a later step(): the length of"
                " info['visited'] is 1 first and then 2"
            ),
        ),
    ),
    Example(
        "a wrapper's buffer",
        with_layers(
            _BUFFER,
            {"class": "frames.FrameStack", "changed": {"observation": True}},
            {"class": "frames.Pixels"},
        ),
        (_SAME_ARRAY,),
    ),
    Example("each is its own", direct_view(trace(name="reuse"))),
)
