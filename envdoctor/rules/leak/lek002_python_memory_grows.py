"""A Python object gets longer with every cycle.

What it does
    Looks at the bytes in use while the number of Python objects stays the same, and asks memray who
    allocated them. When it is Python's own allocator, then an object that exists already gets
    longer: a list, a dictionary, a bytearray. It also counts the elements of the environment's
    containers: a set of small numbers takes its memory in steps, each later than the one before.

Why it matters
    The number of objects does not show it, and a recording of all steps of all episodes has no end.

How to fix it
    Let it begin anew, or give it an end:

        def reset(self, *, seed=None, options=None):
            # Of the instance and of this episode, in place of the module's:
            self._recording = bytearray()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.model.finding import Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import designs, direct_view, growing, held_in, kept_at, record
from envdoctor.rules.engine.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.growth import by_python, leaks_of, line_for, not_attributed, records
from envdoctor.rules.wording.growth import at_line, cleanup, horizon, per_million, report, sentence


@rule(
    "LEK002",
    "python-memory-grows",
    explains=Cause.PYTHON_MEMORY_GROWS,
    where=WHERE_PLAYED,
    needs=("leak", "leak-workers"),
    meters=("heap", "elements"),
    unjudged=lambda view: not_attributed(view, "heap"),
    grows="python bytes",
)
def python_memory_grows(view: View) -> Iterator[Finding]:
    for leak in leaks_of(view, "heap"):
        if not by_python(view, leak):
            continue
        line = line_for(view, leak, records(view, leak.side, python=True))
        what = leak.holder.chain if leak.holder else _longer(view, leak)
        message = (
            f"{what} gets longer: {sentence(leak, 'adds', 'memory')}{per_million(leak)};"
            f" {horizon(leak)}"
        )
        remedy = f"bound it{at_line(line)}, or clear it in {cleanup(view, leak)}."
        yield report(python_memory_grows, view, leak, (message, remedy), line)


def _longer(view: View, leak: Leak) -> str:
    """Name the object that got longer, where the census saw it."""
    side = next((side for side in view.direct.sides if side.name == leak.side), None)
    longer = side.causes.longer if side else ()
    return longer[0].chain if longer else "an object"


EXAMPLES = (
    Example(
        "a recording of the module",
        direct_view(
            *growing(objects=0, heap=240),
            *designs("heap", step=12),
            kept_at(record("/home/me/sick.py", 12, "step", 1, 24240, "PYMALLOC_REALLOC")),
        ),
        "an object gets longer: every step() adds 12 bytes of memory: 11.4 MiB per million"
        " steps; steady through 231 cycles",
    ),
    Example(
        "a list of small numbers, which are not new objects",
        direct_view(
            *growing(objects=0, heap=170),
            held_in(
                "sick.SEEN",
                "int",
                (0, 0, 1),
                {"objects": 0, "heap": 0},
                rest={"objects": 0, "heap": 0},
                overhead=8.45,
            ),
        ),
        "sick.SEEN gets longer: every step() adds 8 bytes of memory: 8.1 MiB per million"
        " steps; steady through 231 cycles",
    ),
    Example(
        "malloc of a native library: a matter of native-memory-grows",
        direct_view(
            *growing(objects=0, heap=2000),
            kept_at(record("/home/me/sick.py", 12, "step", 101, 2000, "MALLOC")),
        ),
    ),
)
