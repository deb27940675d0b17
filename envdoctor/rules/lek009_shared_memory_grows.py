"""The number of pieces of shared memory grows from cycle to cycle.

What it does
    Counts the pieces of shared memory that belong to this process before and after blocks of whole cycles. What every life
    leaves is told by CLS011; this one also sees what only some do.

Why it matters
    Shared memory outlives the process that made it: what is not unlinked stays until the machine is started anew, and
    /dev/shm is often only 64 MB in a container.

How to fix it
    Closing is not deleting; the owner does both:

        def close(self):
            self._frames.close()
            self._frames.unlink()
            super().close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import ERROR, Finding
from envdoctor.rules.growth import leak_of
from envdoctor.rules.growth_words import after, horizon, report, sentence
from envdoctor.rules.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.samples import block, designs, direct_view, growing
from envdoctor.rules.view import View


@rule("LEK009", "shared-memory-grows", where=WHERE_PLAYED, needs=("leak", "leak-workers"), meters=("segments",))
def shared_memory_grows(view: View) -> Iterator[Finding]:
    leak = leak_of(view, "segments")
    if leak is None:
        return
    yield report(
        shared_memory_grows,
        view,
        leak,
        (
            f"{sentence(leak, 'leaves', 'piece of shared memory', 'pieces of shared memory')}: 1000 after {after(leak, 1000)}; {horizon(leak)}",
            f"unlink it in {view.class_name}.close(), in the process that made it.",
        ),
        severity=ERROR,
    )


EXAMPLES = (
    Example(
        "closed and never unlinked",
        direct_view(*growing(segments=1), *designs("segments", create=1)),
        ("every new instance leaves 1 piece of shared memory: 1000 after 1000 instances; steady through 231 cycles",),
    ),
    Example("unlinked", direct_view(*(block(cycles, segments=0) for cycles in (7, 7, 7, 14)))),
)
