"""Memory of native code grows with every cycle, while Python's objects do not.

What it does
    Reads how many bytes malloc has handed out before and after blocks of whole cycles, with the
    caches of malloc switched off, so that 32 bytes a cycle are seen. Where they grow and the number
    of Python objects does not, it is a simulator or an extension module that forgets. A last pass
    names the line of yours that called it, and the native function.

Why it matters
    No tool for Python objects sees it: neither gc nor tracemalloc. The process grows until the
    kernel kills it.

How to fix it
    Destroy in reset() and close() what was built before; where the library itself forgets, build it
    once and reuse it:

        def reset(self, *, seed=None, options=None):
            if self._world is not None:
                simulator.destroy(self._world)
            self._world = simulator.create()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import INSTANCE, LIFECYCLE
from envdoctor.model.environment_aims import EndHeld
from envdoctor.model.finding import Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import designs, direct_view, growing, held_in, kept_at, record
from envdoctor.rules.engine.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.growth import (
    by_python,
    compiled_anew,
    keeps_instances,
    leaks_of,
    line_for,
    records,
)
from envdoctor.rules.wording.growth import (
    at_line,
    cleanup,
    horizon,
    native_function,
    per_million,
    report,
    sentence,
)
from envdoctor.rules.wording.leftovers import listing


@rule(
    "LEK003",
    "native-memory-grows",
    explains=Cause.NATIVE_MEMORY_GROWS,
    where=WHERE_PLAYED,
    needs=("leak", "leak-workers"),
    meters=("heap",),
    grows="native bytes",
    gives_way=(Cause.OBJECTS_GROW, Cause.INSTANCE_KEPT),
)
def native_memory_grows(view: View) -> Iterator[Finding]:
    for leak in leaks_of(view, "heap"):
        if by_python(view, leak):
            continue
        result = records(view, leak.side, python=False)
        line, taker = line_for(view, leak, result), native_function(result)
        anew = ", and before it is built anew" if leak.operation == "reset" else ""
        message = (
            f"{sentence(leak, 'keeps', 'native memory')}{per_million(leak)}{taker}; {horizon(leak)}"
        )
        remedy = (
            f"free in {cleanup(view, leak, 'close')} what native code takes{at_line(line)}{anew}; "
            "where the library itself forgets it, build it once and reuse it."
        )
        if leak.side == INSTANCE and leak.operation == "reset" and _is_freed_at_close(view):
            calls = listing(view.survey.releases)
            remedy = (
                f"free in {view.class_name}.reset(), before it is built anew, what close() frees:"
                f" that calls {calls}, and reset() does not; nothing is left of whole lives."
            )
        yield report(
            native_memory_grows,
            view,
            leak,
            (message, remedy),
            line,
            aim=EndHeld(),
            explained_by=_explanations(view, leak),
        )


def _is_freed_at_close(view: View) -> bool:
    """Return whether close() makes calls that reset() does not, and whole lives leave nothing."""
    lifecycle_leaks = (leak for leak in view.leaks if leak.side == LIFECYCLE)
    return bool(view.survey.releases) and not any(lifecycle_leaks)


def _explanations(view: View, leak: Leak) -> tuple[Cause, ...]:
    """The rules whose remedy may take it: compiled code is kept with the objects that stand for it,
    and what each instance has with the instances that are kept. What holds these was not cut back:
    what else grows is seen once they go.
    """
    if compiled_anew(view, leak):
        return (Cause.OBJECTS_GROW,)
    kept = (
        other.holder is None and keeps_instances(view, other)
        for other in leaks_of(view, "objects")
        if (other.side, other.operation) == (leak.side, leak.operation)
    )
    return (Cause.INSTANCE_KEPT,) if any(kept) else ()


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
        "every reset() keeps 1.6 KiB of native memory: 1.5 GiB per million resets, "
        "taken by create_world (world.cpp:7); steady through 231 cycles",
    ),
    Example(
        "in a library without line numbers",
        direct_view(
            *growing(objects=0, heap=1632),
            *designs("heap", reset=1632),
            kept_at(
                {
                    **record("/home/me/sick.py", 31, "reset", 101, 1632, "MALLOC"),
                    "frames": [
                        {"file": "<unknown>", "line": 0, "function": "sqlite3Malloc"},
                        {"file": "/home/me/sick.py", "line": 31, "function": "reset"},
                    ],
                    "user": 1,
                }
            ),
        ),
        "every reset() keeps 1.6 KiB of native memory: 1.5 GiB per million resets, "
        "taken by sqlite3Malloc below sick.py:31; steady through 231 cycles",
    ),
    Example(
        "beside a list that takes some of it",
        direct_view(
            *growing(objects=20, heap=2970, python=640),
            held_in(
                "sick.SEEN",
                "tuple",
                (0, 0, 1),
                {"objects": 1, "heap": 0, "python": 32},
                others={"heap": (0, 0, 140)},
                rest={"objects": 0, "heap": 2800},
            ),
        ),
        "every step() keeps 140 bytes of native memory: 133.5 MiB per million steps; steady"
        " through 63 cycles",
    ),
    Example(
        "beside a list that every reset makes anew",
        direct_view(
            *growing(objects=0, heap=64),
            kept_at(record("/home/me/sick.py", 31, "reset", 1, 1600, "PYMALLOC_REALLOC")),
        ),
        "every cycle of make, reset, steps and close keeps 64 bytes of native memory: 61.0"
        " MiB per million cycles; steady through 231 cycles",
    ),
    Example(
        "less than malloc's smallest piece in a cycle",
        direct_view(*growing(objects=0, heap=40)),
        "every cycle of make, reset, steps and close keeps 40 bytes of native memory: 38.1"
        " MiB per million cycles; steady through 231 cycles",
    ),
    Example("what malloc gave was given back", direct_view(*growing(objects=0, heap=0))),
)
