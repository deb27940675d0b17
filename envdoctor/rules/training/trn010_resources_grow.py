"""Open descriptors, threads, child processes or shared memory of a training grow.

What it does
    Counts them in /proc for each process of a watched training in which environments are called.
    The least count of each of eight stretches after the warm-up is followed: where each is higher
    than the one before, they grow. In one that was attached to, which is only looked at from
    outside, growth with time is a note.

Why it matters
    A process may have 1024 open files by default. The call that needs one more fails, hours after
    the one that forgot to close.

How to fix it
    Give back in close(), or before it is opened again, what reset() opens:

        def reset(self, *, seed=None, options=None):
            if self._socket is not None:
                self._socket.close()
            self._socket = connect(self._port)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.analysis.training_growth import SECOND
from envdoctor.model.finding import NOTE, WARNING, Finding, Location
from envdoctor.model.training import Calls, Instances, Process, Training
from envdoctor.model.training_growth import RESOURCES, Reading, Series
from envdoctor.rules.engine.measures import grown
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import training_of, watched_view
from envdoctor.rules.evidence.training_growth import (
    blame_of,
    growing,
    not_followed,
    places,
    shadow,
)


def _unjudged(view: View) -> str:
    return not_followed(view, RESOURCES)


@rule(
    "TRN010",
    "resources-grow",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=_unjudged,
    counts=grown("resources"),
)
def resources_grow(view: View) -> Iterator[Finding]:
    attached = training_of(view).attached
    for one in growing(places(view), RESOURCES):
        yield resources_grow.finding(
            one.sentence,
            "start the training with `envdoctor watch`: it shows with which calls they grow."
            if attached
            else "give back what each reset() and step() takes. Play the same environment alone to"
            " see the line that takes it:",
            severity=NOTE if one.found.per == SECOND else WARNING,  # it may be a start
            commands=() if attached else shadow(training_of(view), one.place),
            location=one.location,
            blame=blame_of(one.place.side),
            key=one.key,
            evidence=one.evidence,
        )


_AT = Location("/train.py", 14)
_CALLS = Calls(640, 640)
_ARM = Instances(2, 1, "arm.Arm", _AT, "gymnasium-async", reset=_CALLS, step=_CALLS)


def _example(per_reset: int) -> View:
    readings = tuple(
        Reading(t, 1, 10 * t, 100 * t, 1, descriptors=5 + per_reset * 10 * t) for t in range(64)
    )
    seen = (Process(1), Process(2, 1))
    return watched_view(Training((), 1, 0, 9.0, seen, (_ARM,), series=(Series(2, readings),)))


EXAMPLES = (
    Example(
        "a log file that each reset opens",
        _example(1),
        ("open descriptors grow in a worker of Arm by 1.0 for each reset, over 420 resets",),
    ),
    Example(
        "a process that was attached to",
        watched_view(
            Training(
                (),
                1,
                attached=True,
                series=(Series(1, tuple(Reading(t, threads=t) for t in range(64))),),
            )
        ),
        (("threads grow in the trainer's process by 1.0 for each second, over 42 seconds"),),
    ),
    Example("no growth", _example(0)),
)
