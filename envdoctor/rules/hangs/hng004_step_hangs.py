"""step() hangs.

What it does
    Gives the steps of every scenario a deadline. When the time is up, the stacks of the process and
    of its workers are written, and the last frame of the environment's own code is named.

Why it matters
    `step()` of a vector environment has no time limit: one worker that waits for ever stops all
    others, and nothing says which. Hangs that come once in a million steps cost days of machine
    time.

How to fix it
    Bound every wait and every loop that a simulator's answer should end:

        deadline = time.monotonic() + 10
        while not self._simulator.done():
            if time.monotonic() > deadline:
                raise TimeoutError("the simulator did not finish its step within 10 s")
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.model.trace import TIMED_OUT
from envdoctor.rules.engine.examples import direct_view, trace, verb
from envdoctor.rules.engine.registry import EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import first_hang, report_hang


@rule(
    "HNG004", "step-hangs", verb="reset", looks_at={"life": "reset step?"}, also_reads=(EVERYTHING,)
)
def step_hangs(view: View) -> Iterator[Finding]:
    hung = first_hang(view, "step")
    if hung is not None:
        remedy = (
            f"give what {view.class_name}.step() waits for a time-out, and raise with the reason"
            " when it expires."
        )
        yield from report_hang(step_hangs, view, hung, "step()", verb="step", remedy=remedy)


def _hung(function: str) -> View:
    stacks = (
        'Current thread 0x01 (most recent call first):\n  File "/home/me/walker.py", line 40 in'
        f" {function}\n"
    )
    return direct_view(
        trace(verb("step:20", "began"), outcome=TIMED_OUT, verb="step:20", stacks=stacks)
    )


EXAMPLES = (
    Example("the queue is full", _hung("step"), "step() hangs in walker.py:40, step"),
    Example("the reset between two episodes hangs: another rule's", _hung("reset")),
    Example("it comes back", direct_view(trace(verb("step:20")))),
)
