"""Memory that was mapped grows with every cycle; neither Python nor malloc knows of it.

What it does
    Reads how much private memory the process has mapped before and after blocks of whole cycles.
    Where that grows while Python's objects, malloc, threads and processes do not, some code calls
    mmap() and forgets munmap(): drivers, renderers, memory-mapped files, allocators of their own.

Why it matters
    It costs address space at once and memory as soon as it is written to. It is a warning, for an
    allocator may map in advance and be right.

How to fix it
    Unmap in close() what was mapped:

        def close(self):
            self._frames.close()      # mmap.mmap, a memory-mapped array, a rendering context
            super().close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import LIFECYCLE
from envdoctor.model.environment_aims import EndHeld
from envdoctor.model.finding import WARNING, Finding
from envdoctor.model.meters import DATA, HEAP
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, growing
from envdoctor.rules.engine.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.growth import (
    compiled_anew,
    garbage,
    leaks_of,
    line_of,
    records,
    side_of,
)
from envdoctor.rules.wording.growth import at_line, cleanup, horizon, per_million, report, sentence

SHARE = 0.5  # of what grows, that what waits for the collector has to be


@rule(
    "LEK004",
    "mapped-memory-grows",
    explains=Cause.MAPPED_MEMORY_GROWS,
    severity=WARNING,
    where=WHERE_PLAYED,
    needs=("leak", "leak-workers"),
    meters=("data",),
    grows="mapped bytes",
    gives_way=(Cause.OBJECTS_GROW, Cause.GARBAGE_GROWS, Cause.FREED_BY_COLLECTOR),
)
def mapped_memory_grows(view: View) -> Iterator[Finding]:
    for leak in leaks_of(view, "data"):
        result = records(view, leak.side, python=False)
        line = line_of([record for record in result if record.allocator == "MMAP"])
        message = f"{sentence(leak, 'keeps', 'mapped memory')}{per_million(leak)}; {horizon(leak)}"
        remedy = f"unmap in {cleanup(view, leak, 'close')} what was mapped{at_line(line)}."
        waits = (Cause.OBJECTS_GROW,) if compiled_anew(view, leak) else explanations(view, leak)
        yield report(
            mapped_memory_grows,
            view,
            leak,
            (message, remedy),
            line,
            WARNING,
            aim=EndHeld(),
            explained_by=waits,
        )


def explanations(view: View, leak: Leak) -> tuple[Cause, ...]:
    """Memory that waits for the garbage collector in each cycle leaves gaps between what is mapped:
    as much as that is not growth of its own. Where malloc tells what it maps, it is left out
    before.
    """
    side = side_of(view, LIFECYCLE)
    if side is not None and any("malloc" in block.deltas for block in side.blocks):
        return ()
    waiting = garbage(view)
    enough = waiting.get(HEAP, 0.0) + waiting.get(DATA, 0.0) >= SHARE * leak.rate
    is_waiting = leak.side == LIFECYCLE and enough
    return (Cause.GARBAGE_GROWS, Cause.FREED_BY_COLLECTOR) if is_waiting else ()


EXAMPLES = (
    Example(
        "a frame buffer for each instance",
        direct_view(*growing(objects=0, heap=0, data=65536)),
        "every cycle of make, reset, steps and close keeps 64.0 KiB of mapped memory: 61.0"
        " GiB per million cycles; steady through 231 cycles",
    ),
    Example(
        "the arenas of Python's objects",
        direct_view(*growing(objects=100, heap=0, python=6400, data=8192)),
    ),
    Example(
        "the arenas of Python's objects, where readings have them",
        direct_view(*growing(objects=100, heap=0, python=6400, malloc=0, arenas=8192, data=8192)),
    ),
    Example(
        "a frame buffer beside the arenas",
        direct_view(*growing(objects=0, heap=0, python=0, malloc=0, arenas=8192, data=73728)),
        "every cycle of make, reset, steps and close keeps 64.0 KiB of mapped memory: 61.0"
        " GiB per million cycles; steady through 231 cycles",
    ),
    Example("nothing is mapped", direct_view(*growing(objects=0, heap=0, data=0))),
)
