"""Memory of native code grows with every cycle, while Python's objects do not.

What it does
    Reads how many bytes malloc has handed out before and after blocks of whole cycles, with the caches of malloc switched
    off, so that 32 bytes a cycle are seen. Where they grow and the number of Python objects does not, it is a simulator or
    an extension module that forgets. A last pass names the line of yours that called it, and the native function.

Why it matters
    No tool for Python objects sees it: neither gc nor tracemalloc. The process grows until the kernel kills it.

How to fix it
    Destroy in reset() and close() what was built before; where the library itself forgets, build it once and reuse it:

        def reset(self, *, seed=None, options=None):
            if self._world is not None:
                simulator.destroy(self._world)
            self._world = simulator.create()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.rules.growth import leak_of, objects_leak
from envdoctor.rules.growth_causes import by_python, line_of, lines
from envdoctor.rules.growth_words import at_line, horizon, in_a_million, native_function, report, sentence
from envdoctor.rules.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.samples import designs, direct_view, growing, kept_at, record
from envdoctor.rules.view import View


@rule("LEK003", "native-memory-grows", where=WHERE_PLAYED, needs=("leak", "leak-workers"), meters=("heap",))
def native_memory_grows(view: View) -> Iterator[Finding]:
    leak = leak_of(view, "heap")
    if leak is None or objects_leak(view) or by_python(view):
        return
    records = lines(view, python=False)
    line, taker = line_of(records), native_function(records)
    anew = ", and before it is built anew" if leak.operation == "reset" else ""
    yield report(
        native_memory_grows,
        view,
        leak,
        (
            f"{sentence(leak, 'keeps', 'native memory')}: {in_a_million(leak)}{taker}; {horizon(leak)}",
            (
                f"free in {view.class_name}.close() what native code takes{at_line(line)}{anew}; "
                "where the library itself forgets it, build it once and reuse it."
            ),
        ),
        line,
    )


EXAMPLES = (
    Example(
        "a world that every reset builds anew",
        direct_view(
            *growing(objects=0, heap=1632),
            *designs("heap", reset=1632),
            kept_at(
                {
                    **record("/home/me/sick.py", 31, "reset", 101, 1632, "MALLOC"),
                    "frames": [
                        {"file": "world.cpp", "line": 7, "function": "create_world"},
                        {"file": "/home/me/sick.py", "line": 31, "function": "reset"},
                    ],
                    "user": 1,
                }
            ),
        ),
        (
            (
                "every reset() keeps 1.6 KB of native memory: 1.6 GB after a million resets, "
                "taken by create_world (world.cpp:7); steady through 231 cycles"
            ),
        ),
    ),
    Example(
        "less than malloc's smallest piece in a cycle",
        direct_view(*growing(objects=0, heap=20)),
        ("every cycle of make, reset, steps and close keeps 20 bytes of native memory: 20.0 MB after a million cycles; steady through 231 cycles",),
    ),
    Example("objects that have buffers", direct_view(*growing(objects=1, heap=100_000))),
    Example("what malloc gave was given back", direct_view(*growing(objects=0, heap=0))),
)
