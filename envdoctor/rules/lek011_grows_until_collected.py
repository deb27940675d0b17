"""Memory grows until the garbage collector runs.

What it does
    Plays blocks of whole cycles with the garbage collector switched off, reads, collects, and reads again. What only the
    collector brought back is garbage in reference cycles. It is reported from 1 MB a cycle on, or when a descriptor, a
    thread, a process or shared memory hangs on it; small cycles do no harm.

Why it matters
    The collector counts objects, not bytes. Frames of 100 KB that refer to each other wait for 700 others: 70 MB come and
    go, and in a process with few objects, or with the collector switched off for speed, they only come.

How to fix it
    Cut the cycle as soon as it is of no use, or let one side be weak:

        frame.after = weakref.ref(following)
        self._callbacks.clear()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import WARNING, Finding
from envdoctor.rules.growth_causes import garbage
from envdoctor.rules.growth_words import size
from envdoctor.rules.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.samples import direct_view, played_block
from envdoctor.rules.view import View
from envdoctor.rules.words import listing

HANDLES = {
    "descriptors": ("descriptor", "descriptors"),
    "threads": ("thread", "threads"),
    "processes": ("process", "processes"),
    "segments": ("piece of shared memory", "pieces of shared memory"),
}
LEAST_BYTES = 1_000_000  # a cycle


@rule("LEK011", "grows-until-collected", severity=WARNING, where=WHERE_PLAYED, needs=("leak",), meters=("objects", "heap"))
def grows_until_collected(view: View) -> Iterator[Finding]:
    waiting = garbage(view)
    memory = waiting.get("heap", 0.0)
    handles = [f"{waiting[meter]:.0f} {one if round(waiting[meter]) == 1 else many}"
               for meter, (one, many) in HANDLES.items() if waiting.get(meter, 0.0) >= 0.75]  # fmt: skip
    if memory < LEAST_BYTES and not handles:
        return
    what = listing([*handles, *([size(memory)] if memory >= 1000 else [])])
    yield grows_until_collected.finding(
        f"every cycle of make, reset, steps and close leaves {what} to the garbage collector: reference cycles keep it until then",
        f"cut the cycle in {view.class_name} when it is of no use any more: clear attributes that refer back, or make them weak references.",
        location=view.locate("step"),
        evidence={"per_cycle": waiting, "told_by": ["CLS013"]},
    )


def _waiting(settled: str, **per_cycle: int) -> View:
    blocks = (7, 7, 7, 14)
    return direct_view(
        *(
            played_block(cycles, {settled: 0, "heap": 0}, uncollected={meter: number * cycles for meter, number in per_cycle.items()})
            for cycles in blocks
        )
    )


EXAMPLES = (
    Example(
        "frames that know each other",
        _waiting("objects", objects=60, heap=2_000_000),
        ("every cycle of make, reset, steps and close leaves 2.0 MB to the garbage collector: reference cycles keep it until then",),
    ),
    Example(
        "a socket in a cycle",
        _waiting("descriptors", descriptors=1, heap=600),
        ("every cycle of make, reset, steps and close leaves 1 descriptor to the garbage collector: reference cycles keep it until then",),
    ),
    Example("a small cycle does no harm", _waiting("objects", objects=9, heap=600)),
)
