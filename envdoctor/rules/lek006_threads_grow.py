"""The number of threads grows from cycle to cycle.

What it does
    Counts the threads of the process, also those that Python does not know of, before and after blocks of whole cycles, and
    gives each a moment to end. What every life leaves is told by CLS007; this one also sees what only some do.

Why it matters
    A thread has a stack, keeps alive what it refers to, and may hold the process back from ending. Some thousands are all
    that a machine allows.

How to fix it
    Tell it to end, and wait for it:

        def close(self):
            self._ended.set()
            self._watcher.join()
            super().close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import ERROR, Finding
from envdoctor.rules.cures import release
from envdoctor.rules.growth import leak_of
from envdoctor.rules.growth_words import after, horizon, report, sentence, started_at
from envdoctor.rules.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.samples import block, designs, direct_view, growing
from envdoctor.rules.view import View
from envdoctor.rules.words import single_taking


@rule("LEK006", "threads-grow", where=WHERE_PLAYED, needs=("leak", "leak-workers"), meters=("threads",))
def threads_grow(view: View) -> Iterator[Finding]:
    leak = leak_of(view, "threads")
    if leak is None:
        return
    line = single_taking(view, "thread")
    yield report(
        threads_grow,
        view,
        leak,
        (
            f"{sentence(leak, 'leaves', 'thread')}: 1000 after {after(leak, 1000)}; {horizon(leak)}",
            f"tell it to end and join it in {view.class_name}.close(){started_at(line)}.",
        ),
        line,
        ERROR,
        commands=release(view, "thread", [line]) if line else (),
    )


EXAMPLES = (
    Example(
        "one with every fifth instance",
        direct_view(*growing(threads=0.2), *designs("threads", create=0.2)),
        ("every 5th new instance leaves 1 thread: 1000 after about 5200 instances; steady through 231 cycles",),
    ),
    Example(
        "one for each instance",
        direct_view(block(7, threads=7), block(7, threads=7)),
        ("every cycle of make, reset, steps and close leaves 1 thread: 1000 after 1000 cycles; steady through 14 cycles",),
    ),
    Example("a pool that starts once", direct_view(block(7, threads=4), *(block(cycles, threads=0) for cycles in (7, 7, 14, 28)))),
)
