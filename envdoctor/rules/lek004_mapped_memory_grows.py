"""Memory that was mapped grows with every cycle; neither Python nor malloc knows of it.

What it does
    Reads how much private memory the process has mapped before and after blocks of whole cycles. Where that grows while
    Python's objects, malloc, threads and processes do not, somebody calls mmap() and forgets munmap(): drivers, renderers,
    memory-mapped files, allocators of their own.

Why it matters
    It costs address space at once and memory as soon as it is written to. It is a warning, for an allocator may map in
    advance and be right.

How to fix it
    Unmap in close() what was mapped:

        def close(self):
            self._frames.close()      # mmap.mmap, a memory-mapped array, a rendering context
            super().close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import WARNING, Finding
from envdoctor.rules.growth import leak_of, objects_leak
from envdoctor.rules.growth_causes import line_of, lines
from envdoctor.rules.growth_words import at_line, horizon, in_a_million, report, sentence
from envdoctor.rules.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.samples import direct_view, growing
from envdoctor.rules.view import View


@rule("LEK004", "mapped-memory-grows", severity=WARNING, where=WHERE_PLAYED, needs=("leak", "leak-workers"), meters=("data",))
def mapped_memory_grows(view: View) -> Iterator[Finding]:
    leak = leak_of(view, "data")
    if leak is None or objects_leak(view) or any(leak_of(view, meter) for meter in ("heap", "threads")):
        return
    line = line_of([record for record in lines(view, python=False) if record["allocator"] == "MMAP"])
    yield report(
        mapped_memory_grows,
        view,
        leak,
        (
            f"{sentence(leak, 'keeps', 'mapped memory')}: {in_a_million(leak)}; {horizon(leak)}",
            f"unmap in {view.class_name}.close() what was mapped{at_line(line)}.",
        ),
        line,
        WARNING,
    )


EXAMPLES = (
    Example(
        "a frame buffer for each instance",
        direct_view(*growing(objects=0, heap=0, data=65536)),
        ("every cycle of make, reset, steps and close keeps 65.5 KB of mapped memory: 65.5 GB after a million cycles; steady through 231 cycles",),
    ),
    Example("the arenas of Python's objects", direct_view(*growing(objects=100, heap=0, data=8192))),
    Example("nothing is mapped", direct_view(*growing(objects=0, heap=0, data=0))),
)
