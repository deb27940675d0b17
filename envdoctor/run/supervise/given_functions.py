"""A function of the user's that gives the actions, and does not return: no call of the environment
hangs there, and none is accused.
"""

from __future__ import annotations

from dataclasses import replace

from envdoctor.model.actions import ActionSource
from envdoctor.model.trace import TIMED_OUT, Trace
from envdoctor.run.supervise.own_frames import is_in_given_function


def with_hanging_function(trace: Trace, source: ActionSource | None) -> Trace:
    """The trace with the fact that the subject cannot be played, where the time was up within the
    function.
    """
    outcome = trace.outcome
    if source is None or outcome.kind != TIMED_OUT or not is_in_given_function(outcome.stacks):
        return trace
    reason = f"{source.option}: it does not return"
    fact = {"event": "fact", "t": 0.0, "pid": 0, "key": "refused", "value": reason}
    return replace(trace, events=(*trace.events, fact))
