"""The number of open descriptors grows from cycle to cycle.

What it does
    Counts the descriptors of the process before and after blocks of whole cycles. CLS006 reports
    what every life leaves; this one also sees what only some do: every fifth episode that is
    recorded, every tenth that is logged.

Why it matters
    A process may hold 1024 descriptors. The training ends with "too many open files", hours later
    and somewhere else.

How to fix it
    Close what was opened, also on the paths that are seldom taken:

        def close(self):
            if self._recording is not None:
                self._recording.close()
                self._recording = None
            super().close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.model.finding import Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import block, designs, direct_view, growing
from envdoctor.rules.engine.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.growth import blocks_seen, leaks_of
from envdoctor.rules.wording.growth import give_back, reached_after, report_acquired, sentence

OF_A_SEGMENT = 2  # descriptors: the file, and what mmap keeps of it


@rule(
    "LEK005",
    "descriptors-grow",
    explains=Cause.DESCRIPTORS_GROW,
    where=WHERE_PLAYED,
    needs=("leak", "leak-workers"),
    meters=("descriptors",),
    grows="descriptors",
    gives_way=(
        Cause.SHARED_MEMORY_GROWS,
        Cause.DESCRIPTORS_LEFT,
        Cause.PORTS_LEFT,
        Cause.INSTANCE_KEPT,
    ),
    follow_ups=("acquisitions",),
    also_reads=("acquisitions",),
)
def descriptors_grow(view: View) -> Iterator[Finding]:
    for leak in leaks_of(view, "descriptors"):
        message = (
            f"{sentence(leak, 'leaves', 'descriptor')}: the usual limit of 1024 is reached after"
            f" {reached_after(leak, 1024)}"
        )
        yield report_acquired(
            descriptors_grow,
            view,
            leak,
            "descriptor",
            (message, give_back(view, leak, "close")),
            ("descriptors", (Cause.DESCRIPTORS_LEFT, Cause.PORTS_LEFT)),
            _of_segments(view, leak),
        )


def _of_segments(view: View, leak: Leak) -> tuple[Cause, ...]:
    """The rule on shared memory, where a container of segments keeps all of these open: its remedy
    closes each segment before it unlinks it. The paces of two meters that grow rarely are fitted
    from different blocks, and differ by a little: what the blocks counted decides then.
    """
    if leak.holder is None or leak.holder.handle != "segments":
        return ()
    pace = sum(other.rate for other in view.leaks if other.meter == "segments")
    left, segments = (
        sum(grown for _, grown in blocks_seen(view, leak.side, meter))
        for meter in (leak.meter, "segments")
    )
    is_theirs = leak.rate <= OF_A_SEGMENT * pace or 0 < left <= OF_A_SEGMENT * segments
    return (Cause.SHARED_MEMORY_GROWS,) if is_theirs else ()


EXAMPLES = (
    Example(
        "one in every reset()",
        direct_view(*growing(descriptors=1), *designs("descriptors", reset=1)),
        "every reset() leaves 1 descriptor: the usual limit of 1024 is reached after 1024"
        " resets; steady through 231 cycles",
    ),
    Example(
        "one in each instance, and one more now and then",
        direct_view(*growing(descriptors=1.2), *designs("descriptors", create=1.2)),
        "every new instance leaves 1 descriptor, every 5th new instance leaves 1 descriptor"
        " more: the usual limit of 1024 is reached after about 860 instances; steady"
        " through 231 cycles",
    ),
    Example(
        "two blocks are proof when each instance leaves one",
        direct_view(block(7, descriptors=7), block(7, descriptors=7)),
        "every cycle of make, reset, steps and close leaves 1 descriptor: "
        "the usual limit of 1024 is reached after 1024 cycles; steady through 14 cycles",
    ),
    Example(
        "a descriptor that is opened once",
        direct_view(*(block(cycles, descriptors=0) for cycles in (7, 7, 7, 14))),
    ),
)
