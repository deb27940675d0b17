"""Memory grows, but slower and slower: something fills up.

What it does
    Compares the growth from block to block of ever more cycles. A leak keeps its pace; a cache, a
    buffer or a table of known states slows down. Where the end was not reached, this note says how
    far it was followed.

Why it matters
    It is not a leak so far. What has no bound can still become large: a table of all states that
    were met ends when all have been, and there may be many.

How to fix it
    Nothing, if there is a bound. To see the end of it, follow it further; to set one, use a cache
    that has it:

        envdoctor leak SPEC --cycles 2000

    and the cache:

        @functools.lru_cache(maxsize=256)
        def tile(row, column): ...
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.analysis.growth.leaks import LEAST_BYTES
from envdoctor.analysis.growth.sides import LIFECYCLE
from envdoctor.analysis.growth.verdicts import FILLING, LEAK_BLOCKS, OPEN, UNIT, floor
from envdoctor.model.finding import NOTE, Finding
from envdoctor.rules.engine.examples import block, direct_view, growing, vector_view
from envdoctor.rules.engine.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.growth import (
    blocks_seen,
    bounded_caches,
    followed,
    is_function,
    mapped_for_memory,
)
from envdoctor.rules.wording.growth import per_cycles
from envdoctor.rules.wording.leftovers import listing

WHAT = {
    "objects": ("Python object", "Python objects"),
    "heap": ("memory", ""),
    "data": ("mapped memory", ""),
    "descriptors": ("descriptor", "descriptors"),
    "threads": ("thread", "threads"),
}


#: Blocks from which a pace is known: two show that it fades; that it is not steady takes as many
#: as a leak takes.
PACED = {FILLING: 2, OPEN: LEAK_BLOCKS}
#: Growth a cycle that is worth a word: less of the heap than malloc's smallest piece is noise.
LEAST = {"heap": LEAST_BYTES}

#: What a launch of workers costs now and then: multiprocessing keeps a few objects where a worker
#: is still about to end.
LAUNCHED = {"objects": 1.0, "heap": 256.0}


@rule(
    "LEK012",
    "still-filling",
    severity=NOTE,
    where=WHERE_PLAYED,
    needs=("leak",),
    meters=("objects", "heap", "data"),
)
def still_filling(view: View) -> Iterator[Finding]:
    leaking = {leak.meter for leak in view.leaks}
    cycle = "call" if is_function(view) else "cycle"
    for meter, (noun, plural) in WHAT.items():
        if meter in leaking:
            continue
        growth = followed(view, meter)
        if (  # fewer cycles show what happens once, and no pace
            growth.kind not in PACED
            or growth.rate <= LEAST.get(meter, floor(meter))
            or growth.cycles < UNIT
            or len(blocks_seen(view, LIFECYCLE, meter)) < PACED[growth.kind]
        ):
            continue
        if meter == "data" and growth.rate <= mapped_for_memory(view):
            continue
        if view.start_method and growth.rate < LAUNCHED.get(meter, 0.0):
            continue
        caches = bounded_caches(view)
        filling = f" ({listing(caches)})" if caches else ""
        pace = "slower and slower" if growth.kind == FILLING else "at no steady pace"
        further = f"envdoctor leak {view.command} --cycles {10 * growth.cycles}"
        further += " --callable" if is_function(view) else ""
        yield still_filling.finding(
            f"something fills{filling}: it grows {pace},"
            f" {per_cycles(meter, growth.rate, noun, plural, cycle)} at the end of"
            f" {growth.cycles} {cycle}s",
            "nothing has to be done if it is bounded. Follow it further to see whether it is.",
            commands=(further,),
            evidence={
                "meter": meter,
                "kind": growth.kind,
                "cycles": growth.cycles,
                "blocks": blocks_seen(view, LIFECYCLE, meter),
                "caches": caches,
            },
        )
        return


RISES = (60, 60, 60, 110, 170, 90, 30)
EXAMPLES = (
    Example(
        "a table of the rooms that were met",
        direct_view(
            *(
                block(cycles, objects=rise)
                for cycles, rise in zip((7, 7, 7, 14, 28, 56, 112), RISES, strict=True)
            )
        ),
        (
            (
                "something fills: it grows slower and slower, 27 Python objects in 100 cycles at"
                " the end of 231 cycles"
            ),
        ),
    ),
    Example(
        "a worker that was about to end",
        vector_view(*(block(cycles, objects=rise) for cycles, rise in ((7, 2), (7, 0), (14, 1)))),
    ),
    Example("one slow cycle has no pace", direct_view(block(1, heap=900))),
    Example("one block has no pace", direct_view(block(7, objects=266))),
    Example(
        "time for four blocks does not show whether it is steady",
        direct_view(
            *(block(cycles, objects=rise) for cycles, rise in ((7, 49), (7, 42), (7, 42), (14, 84)))
        ),
    ),
    Example("a leak keeps its pace", direct_view(*growing(objects=2))),
    Example("full", direct_view(*growing(objects=0, heap=0))),
)
