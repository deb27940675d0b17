"""reset() hangs.

What it does
    Gives every reset() a deadline, also those at the end of an episode. When the time is up, the
    stacks of the process and of its workers are written, and the last frame of the environment's
    own code is named. So is what the resets that hang have in common: a child that had crashed, a
    child or a thread that had ended by an error, a full pipe that is not read, or the number of the
    reset, where each earlier one of an instance came back. Where it waits in join(), the remedy
    names the lines of the other threads.

Why it matters
    A vectorizer that waits for one worker's reset() stands still for all. None of the common ones
    has a time limit there, so the job stops without a word.

How to fix it
    Wait with a time-out, and raise what the user can act on:

        try:
            frame = self._frames.get(timeout=30)
        except queue.Empty:
            raise TimeoutError("no frame from the simulator within 30 s of reset()") from None
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.model.trace import TIMED_OUT
from envdoctor.rules.engine.examples import direct_view, trace, vector_view, verb
from envdoctor.rules.engine.registry import EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import first_hang, report_hang


@rule(
    "HNG003",
    "reset-hangs",
    verb="make",
    looks_at={"life": "make reset? step?"},
    also_reads=(EVERYTHING,),
)
def reset_hangs(view: View) -> Iterator[Finding]:
    hung = first_hang(view, "reset")
    if hung is not None:
        remedy = (
            f"give what {view.class_name}.reset() waits for a time-out, and raise with the reason"
            " when it expires."
        )
        yield from report_hang(reset_hangs, view, hung, "reset()", verb="reset", remedy=remedy)


_STACKS = """Current thread 0x01 (most recent call first):
  File "/usr/lib/python3.11/queue.py", line 171 in get
  File "/home/me/walker.py", line 30 in wait_for_frame
  File "/home/me/walker.py", line 25 in reset
  File "/venv/lib/python3.11/site-packages/gymnasium/core.py", line 400 in reset
"""

_JOINS = """Current thread 0x01 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 1119 in join
  File "/home/me/walker.py", line 47 in start
  File "/home/me/walker.py", line 25 in reset
Thread 0x02 (most recent call first):
  File "/home/me/walker.py", line 33 in open_pad
  File "/usr/lib/python3.11/threading.py", line 982 in run
Thread 0x03 (most recent call first):
  File "/home/me/walker.py", line 33 in open_pad
  File "/usr/lib/python3.11/threading.py", line 982 in run
Thread 0x04 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 327 in wait
"""

EXAMPLES = (
    Example(
        "it joins threads that wait",
        direct_view(trace(verb("reset", "began"), outcome=TIMED_OUT, verb="reset", stacks=_JOINS)),
        "reset() hangs in walker.py:47, start",
    ),
    Example(
        "no frame ever comes",
        direct_view(trace(verb("reset", "began"), outcome=TIMED_OUT, verb="reset", stacks=_STACKS)),
        "reset() hangs in walker.py:30, wait_for_frame",
    ),
    Example(
        "it hangs at the end of an episode, while steps are played",
        direct_view(
            trace(verb("step:20", "began"), outcome=TIMED_OUT, verb="step:20", stacks=_STACKS)
        ),
        "reset() hangs in walker.py:30, wait_for_frame",
    ),
    Example(
        "its third reset hangs, with the seed of the first",
        direct_view(
            trace(
                verb("reset"),
                verb("reseed", "began"),
                name="reuse",
                outcome=TIMED_OUT,
                verb="reseed",
                stacks=_STACKS,
            )
        ),
        "reset() hangs in walker.py:30, wait_for_frame",
    ),
    Example(
        "only the pair hangs",
        vector_view(
            trace(
                verb("reset", "began"), manager="gymnasium-async", outcome=TIMED_OUT, verb="reset"
            )
        ),
        "reset() hangs, though not without a manager",
    ),
    Example(
        "it was closed before, which not-reopenable tells",
        direct_view(
            trace(
                verb("reset"),
                verb("close"),
                verb("reset", "began"),
                name="reopen",
                outcome=TIMED_OUT,
                verb="reset",
            )
        ),
    ),
    Example("it comes back", direct_view(trace(verb("reset")))),
)
