"""A function of the user's that gives the actions, and does not return: no call of the environment
hangs there, and none is accused.
"""

from __future__ import annotations

import re
from dataclasses import replace

from envdoctor.model.actions import ActionSource
from envdoctor.model.trace import TIMED_OUT, Trace

#: The frame in which the probe waits for what the function says (see probe/given_actions.py).
_ASKING = re.compile(
    r'[/\\]probe[/\\]given_actions\.py", line \d+ in (\w+\.)*_of_function\s*$', re.MULTILINE
)


def told_if_it_hangs(trace: Trace, source: ActionSource | None) -> Trace:
    """The trace with the fact that the subject cannot be played, where the time was up within the
    function.
    """
    outcome = trace.outcome
    if source is None or outcome.kind != TIMED_OUT or not _ASKING.search(outcome.stacks):
        return trace
    reason = f"{source.option}: it does not return"
    fact = {"event": "fact", "t": 0.0, "pid": 0, "key": "refused", "value": reason}
    return replace(trace, events=(*trace.events, fact))
