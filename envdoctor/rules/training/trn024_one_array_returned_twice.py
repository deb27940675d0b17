"""A step() of a script returns one array as two values, and writes into it.

What it does
    Looks at what step() of the script's own vectorizers and wrappers returns. Reported is one that
    returned the same array as two of its values, in each of sixteen calls, under two names of which
    the code makes one of the other without a copy, and writes into one of them afterwards.

    One array that is returned twice by one name, or that nothing writes into, is left out. It is a
    note: two values may be meant to change together.

Why it matters
    What is written into one value is in the other, too: an episode that is cut at its longest
    length is said to have ended, or raw rewards are those that were scaled. Nothing raises, and
    what is learned is wrong.

How to fix it
    np.asarray() makes no copy of an array. np.array() does:

        completes = np.array(dones)
        completes[self.steps >= self.longest] = True
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, UNKNOWN, Finding, Location
from envdoctor.model.training import Training
from envdoctor.model.training_aims import CopyBound
from envdoctor.model.training_returned import AliasedArray
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import nothing_made, training_of, watched_view


@rule(
    "TRN024",
    "one-array-returned-twice",
    severity=NOTE,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
)
def one_array_returned_twice(view: View) -> Iterator[Finding]:
    known = {array.location: array for array in training_of(view).aliased_arrays}
    for place, array in known.items():
        bound = array.bound
        if place is None or bound is None or not array.names:
            continue
        first, second = array.names
        yield one_array_returned_twice.finding(
            f"step() of {array.class_name} returns one array twice, as {first} and {second}, which"
            f" {short(bound.file)}:{bound.line} makes without a copy: what"
            f" {short(place.file)}:{place.line} writes into one of them is in the other, too",
            f"make a copy at {short(bound.file)}:{bound.line}, by np.array() or .copy().",
            aim=CopyBound(Frame(bound.file, bound.line)),
            location=place,
            key=(array.type, first, second),
            blame=UNKNOWN,
            evidence={"names": list(array.names)},
        )


def _training(*arrays: AliasedArray) -> View:
    return watched_view(Training((), 7, aliased_arrays=arrays))


_STEP, _BOUND, _AT = (Location("/executor.py", line, "step") for line in (20, 24, 25))

EXAMPLES = (
    Example(
        "np.asarray() of an array",
        _training(
            AliasedArray(7, "executor.Executor", (2, 3), _STEP, ("dones", "completes"), _BOUND, _AT)
        ),
        "step() of Executor returns one array twice, as dones and completes, which"
        " executor.py:24 makes without a copy: what executor.py:25 writes into one of them"
        " is in the other, too",
    ),
    Example(
        "nothing writes into it", _training(AliasedArray(7, "executor.Executor", (2, 3), _STEP))
    ),
)
