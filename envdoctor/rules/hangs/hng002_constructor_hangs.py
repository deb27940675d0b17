"""The constructor hangs.

What it does
    Gives every construction a deadline, without a manager and in the workers of each. When the time
    is up, the stacks of the process and of its workers are written, and the last frame of the
    environment's own code is named.

Why it matters
    Vectorizers wait for their workers without a time limit. A constructor that hangs in one of them
    leaves a training job that uses a machine and does nothing, and prints nothing either.

How to fix it
    Give what the constructor waits for a time-out, and say what was missing when it expires:

        if not self._ready.wait(timeout=30):
            raise TimeoutError("the simulator did not come up within 30 s")
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.model.trace import TIMED_OUT
from envdoctor.rules.engine.examples import direct_view, instance, trace, vector_view, verb
from envdoctor.rules.engine.registry import EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.close_calls import unfinished
from envdoctor.rules.evidence.hangs import first_hang, report_hang


@rule("HNG002", "constructor-hangs", looks_at={"life": "make?"}, also_reads=(EVERYTHING,))
def constructor_hangs(view: View) -> Iterator[Finding]:
    hung = first_hang(view, "make")
    # A manager that hangs with every constructor done, or none begun, did not start its workers:
    # VEC001.
    if hung is None or not (view.is_direct or unfinished(hung)):
        return
    remedy = (
        "give what the constructor waits for a time-out, and raise with the reason when it expires."
    )
    yield from report_hang(
        constructor_hangs, view, hung, "the constructor", verb="make", remedy=remedy
    )


_STACKS = """Thread 0x02 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 320 in wait
  File "/home/me/walker.py", line 21 in __init__
"""

EXAMPLES = (
    Example(
        "the simulator never comes up",
        direct_view(trace(verb("make", "began"), outcome=TIMED_OUT, verb="make", stacks=_STACKS)),
        "the constructor hangs in walker.py:21, __init__",
    ),
    Example(
        "it hangs in a worker only",
        vector_view(
            trace(
                instance("making", pid=7, parent=False),
                manager="gymnasium-async",
                outcome=TIMED_OUT,
                verb="make",
                stacks=_STACKS,
            )
        ),
        "the constructor hangs in walker.py:21, __init__, though not without a manager",
    ),
    Example(
        "the manager hangs before any worker constructs",
        vector_view(
            trace(
                instance("making"),
                instance("made"),
                manager="gymnasium-async",
                outcome=TIMED_OUT,
                verb="make",
            )
        ),
    ),
    Example("it comes back", direct_view(trace(verb("make")))),
)
