"""Observations that a training keeps are overwritten by the next steps.

What it does
    Looks at the arrays that some calls of step() return, of environments and of the script's own
    vectorizers. After sixteen of them it counts those of earlier calls that are still held, lie in
    the memory of the last one, and have other values than they had. Eight or more are reported:
    each call has written over what the calls before it returned.

    An array that is written again and again is fast, and does no harm where each is used before the
    next step, or copied into a buffer. Then none of them is held, and nothing is reported.

Why it matters
    Every observation that is stored is the last one, and an observation equals the next one. The
    losses look plausible, and nothing is learned.

How to fix it
    Return a copy, or copy what is stored:

        return self._observation.copy(), reward, terminated, truncated, {}
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import CopyReturned
from envdoctor.model.finding import UNKNOWN, WARNING, Finding, Location
from envdoctor.model.training import Training
from envdoctor.model.training_returned import Overwritten
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view


@rule(
    "TRN023",
    "stored-arrays-overwritten",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
)
def stored_arrays_overwritten(view: View) -> Iterator[Finding]:
    known: dict[str, Overwritten] = {}
    for each in training_of(view).overwritten:
        known.setdefault(each.type, each)
    for array in known.values():
        place = array.location
        yield stored_arrays_overwritten.finding(
            f"step() of {array.class_name}, called at {short(place.file)}:{place.line}, writes over"
            f" what it returned before: {of(array.number, 'observation')} of earlier steps that the"
            " training still holds have the values of the last one",
            f"let step() of {array.class_name} return copies, and reset(), too"
            " (`observation.copy()`, each array of a dict), or copy what is stored.",
            aim=CopyReturned("observation", owner=array.class_name),
            location=place,
            key=(array.type,),
            blame=UNKNOWN,
            evidence={"observations": array.number},
        )


def _training(*arrays: Overwritten) -> View:
    return watched_view(Training((), 7, overwritten=arrays))


_AT = Location("/train.py", 31, "collect")

EXAMPLES = (
    Example(
        "a vectorizer returns views of its shared memory",
        _training(Overwritten(7, "shared.SharedVectorEnv", 15, _AT)),
        "step() of SharedVectorEnv, called at train.py:31, writes over what it returned"
        " before: 15 observations of earlier steps that the training still holds have the"
        " values of the last one",
    ),
    Example("nothing is held", _training()),
)
