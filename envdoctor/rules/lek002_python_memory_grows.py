"""A Python object gets longer with every cycle.

What it does
    Looks at the bytes in use while the number of Python objects stays the same, and asks memray who allocated them. When it
    is Python's own allocator, then something that is there anyway gets longer: a list, a dictionary, a bytearray.

Why it matters
    The number of objects tells nothing of it, and a recording of all steps of all episodes has no end.

How to fix it
    Let it begin anew, or give it an end:

        def reset(self, *, seed=None, options=None):
            self._recording = bytearray()      # of the instance and of this episode, instead of the module's
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.rules.growth import leak_of, objects_leak
from envdoctor.rules.growth_causes import by_python, holders, line_of, lines
from envdoctor.rules.growth_words import at_line, horizon, in_a_million, report, sentence
from envdoctor.rules.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.samples import designs, direct_view, growing, kept_at, record
from envdoctor.rules.view import View


@rule("LEK002", "python-memory-grows", where=WHERE_PLAYED, needs=("leak", "leak-workers"), meters=("heap",))
def python_memory_grows(view: View) -> Iterator[Finding]:
    leak = leak_of(view, "heap")
    if leak is None or objects_leak(view) or not by_python(view):
        return
    line, keepers = line_of(lines(view, python=True)), holders(view)
    message = f"{keepers[0] if keepers else 'an object'} gets longer: {sentence(leak, 'adds', 'memory')}: {in_a_million(leak)}; {horizon(leak)}"
    remedy = f"give it an end{at_line(line)}: clear it in reset() or {view.class_name}.close(), or bound it."
    yield report(python_memory_grows, view, leak, (message, remedy), line)


EXAMPLES = (
    Example(
        "a recording of the module",
        direct_view(
            *growing(objects=0, heap=240),
            *designs("heap", step=12),
            kept_at(record("/home/me/sick.py", 12, "step", 1, 24240, "PYMALLOC_REALLOC")),
        ),
        ("an object gets longer: every step() adds 12 bytes of memory: 12.0 MB after a million steps; steady through 231 cycles",),
    ),
    Example(
        "objects grow, too: a matter of LEK001",
        direct_view(*growing(objects=1, heap=2000), kept_at(record("/home/me/sick.py", 12, "step", 101, 2000))),
    ),
    Example(
        "malloc of a native library: a matter of LEK003",
        direct_view(*growing(objects=0, heap=2000), kept_at(record("/home/me/sick.py", 12, "step", 101, 2000, "MALLOC"))),
    ),
)
