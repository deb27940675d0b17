"""The number of threads grows from cycle to cycle.

What it does
    Counts the threads of the process, also those that Python does not know of, before and after
    blocks of whole cycles, and gives each a moment to end. CLS007 reports what every life
    leaves; this one also sees what only some do.

Why it matters
    A thread has a stack, keeps alive what it refers to, and may hold the process back from ending.
    Some thousands are all that a machine allows.

How to fix it
    Tell it to end, and wait for it:

        def close(self):
            self._ended.set()
            self._watcher.join()
            super().close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import block, designs, direct_view, growing
from envdoctor.rules.engine.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.growth import leaks_of
from envdoctor.rules.wording.growth import give_back, reached_after, report_acquired, sentence


@rule(
    "LEK006",
    "threads-grow",
    explains=Cause.THREADS_GROW,
    where=WHERE_PLAYED,
    needs=("leak", "leak-workers"),
    meters=("threads",),
    grows="threads",
    gives_way=(Cause.THREADS_LEFT, Cause.INSTANCE_KEPT),
    follow_ups=("acquisitions",),
    also_reads=("acquisitions",),
)
def threads_grow(view: View) -> Iterator[Finding]:
    for leak in leaks_of(view, "threads"):
        message = f"{sentence(leak, 'leaves', 'thread')}: 1000 after {reached_after(leak, 1000)}"
        yield report_acquired(
            threads_grow,
            view,
            leak,
            "thread",
            (message, give_back(view, leak, "stop and join")),
            ("threads", (Cause.THREADS_LEFT,)),
        )


EXAMPLES = (
    Example(
        "one with every fifth instance",
        direct_view(*growing(threads=0.2), *designs("threads", create=0.2)),
        "every 5th new instance leaves 1 thread: 1000 after about 5200 instances; steady"
        " through 231 cycles",
    ),
    Example(
        "one for each instance",
        direct_view(block(7, threads=7), block(7, threads=7)),
        "every cycle of make, reset, steps and close leaves 1 thread: 1000 after 1000"
        " cycles; steady through 14 cycles",
    ),
    Example(
        "a pool that starts once",
        direct_view(block(7, threads=4), *(block(cycles, threads=0) for cycles in (7, 7, 14, 28))),
    ),
)
