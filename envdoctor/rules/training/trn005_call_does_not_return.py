"""A call of an environment does not come back.

What it does
    Counts, in each process of a watched training, the calls of reset(), step(), close() and the
    constructor that began and that came back. One that was under way when its process was last
    seen, and in which no thread of the process ran for 5 s, is an error. Where the process ran, it
    is a note: the call may only be slow.

Why it matters
    One environment that waits for ever holds up the whole training, and no log says which.

How to fix it
    Give what the environment waits for a limit:

        def step(self, action):
            self._socket.settimeout(30)
            return self._receive(action)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import ENVIRONMENT, ERROR, NOTE, Finding, Location
from envdoctor.model.training import Calls, Instances, LongCall, Training
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view

SLOW = 30.0  # seconds that a call which runs has to take until it is worth a note


@rule(
    "TRN005",
    "call-does-not-return",
    severity=ERROR,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
)
def call_does_not_return(view: View) -> Iterator[Finding]:
    training = training_of(view)
    rows = {(one.pid, one.row): one for one in training.instances}
    for call in training.long_calls:
        one = rows.get((call.pid, call.row))
        if one is None or not (call.asleep or call.seconds >= SLOW):
            continue
        how = f"nothing in its process ran for {call.still:.0f} s" if call.asleep else "it ran"
        before = of(max(0, one.calls(call.method).began - 1), "call")
        yield call_does_not_return.finding(
            f"{call.method}() of {one.class_name} did not come back for {call.seconds:.0f} s after"
            f" {before}: {how}",
            f"find out what {one.class_name}.{call.method}() waits for, and give it a limit."
            if call.asleep
            else f"see whether {one.class_name}.{call.method}() is slow or never ends.",
            severity=ERROR if call.asleep else NOTE,
            blame=ENVIRONMENT,
            location=one.location,
            key=(one.type, call.method),
            evidence={"pid": call.pid, "vectorizer": one.by, "seconds": call.seconds},
        )


_AT = Location("/train.py", 14)
_ARM = Instances(2, 1, "arm.Arm", _AT, step=Calls(41, 40))


def _example(seconds: float, still: float) -> View:
    call = LongCall(2, 1, "step", seconds, still)
    return watched_view(Training((), instances=(_ARM,), long_calls=(call,)))


EXAMPLES = (
    Example(
        "a socket without a limit",
        _example(41.0, 40.0),
        (
            (
                "step() of Arm did not come back for 41 s after 40 calls: nothing in its process"
                " ran for 40 s"
            ),
        ),
    ),
    Example(
        "slow, or an endless loop",
        _example(41.0, 0.0),
        ("step() of Arm did not come back for 41 s after 40 calls: it ran",),
    ),
    Example("slow but working", _example(8.0, 0.0)),
)
