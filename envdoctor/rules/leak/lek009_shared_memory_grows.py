"""The number of pieces of shared memory grows from cycle to cycle.

What it does
    Counts the pieces of shared memory that belong to this process before and after blocks of whole
    cycles. CLS011 reports what every life leaves; this one also sees what only some do.

Why it matters
    Shared memory outlives the process that made it: what is not unlinked stays until the machine is
    started anew, and /dev/shm is often only 64 MB in a container.

How to fix it
    Closing is not deleting; the owner does both:

        def close(self):
            self._frames.close()
            self._frames.unlink()
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

NOUN = ("piece of shared memory", "pieces of shared memory")


@rule(
    "LEK009",
    "shared-memory-grows",
    explains=Cause.SHARED_MEMORY_GROWS,
    where=WHERE_PLAYED,
    needs=("leak", "leak-workers"),
    meters=("segments",),
    grows="shared-memory segments",
    gives_way=(Cause.SHARED_MEMORY_LEFT, Cause.INSTANCE_KEPT),
    follow_ups=("acquisitions",),
    also_reads=("acquisitions",),
)
def shared_memory_grows(view: View) -> Iterator[Finding]:
    for leak in leaks_of(view, "segments"):
        yield report_acquired(
            shared_memory_grows,
            view,
            leak,
            "segment",
            (
                f"{sentence(leak, 'leaves', *NOUN)}: 1000 after {reached_after(leak, 1000)}",
                f"{give_back(view, leak, 'unlink')}, in the process that made it",
            ),
            ("shared-memory", (Cause.SHARED_MEMORY_LEFT,)),
        )


EXAMPLES = (
    Example(
        "closed and never unlinked",
        direct_view(*growing(segments=1), *designs("segments", create=1)),
        "every new instance leaves 1 piece of shared memory: 1000 after 1000 instances;"
        " steady through 231 cycles",
    ),
    Example("unlinked", direct_view(*(block(cycles, segments=0) for cycles in (7, 7, 7, 14)))),
)
