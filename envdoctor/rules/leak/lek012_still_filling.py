"""Memory grows, but slower and slower: something fills up.

What it does
    Compares the growth from block to block of ever more cycles. A leak keeps its pace; a cache, a
    buffer or a table of known states slows down. Where the end was not reached, this note says how
    far it was followed. In `envdoctor check`, what an instance keeps of each seed that it was not
    given before is reported, too, where the same seed again keeps nothing: maps, levels, images.

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
from envdoctor.model.facts import KeptOfSeeds
from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.scenario import BEGINNINGS
from envdoctor.model.trace import Trace
from envdoctor.model.units import size
from envdoctor.rules.engine.examples import (
    block,
    compared,
    direct_view,
    fact,
    growing,
    trace,
    vector_view,
)
from envdoctor.rules.engine.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import seed_decides
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

#: Bytes for each reset with a new seed that are worth a word; rounds that have to agree, as far as
#: chance lets some seeds play the same episode.
LEAST_KEPT, LEAST_ROUNDS, MUCH_MORE = 1024, 3, 3

#: What a launch of workers costs now and then: multiprocessing keeps a few objects where a worker
#: is still about to end.
LAUNCHED = {"objects": 1.0, "heap": 256.0}


@rule(
    "LEK012",
    "still-filling",
    severity=NOTE,
    where=WHERE_PLAYED,
    needs=("leak",),
    also_reads=("life", "reuse", BEGINNINGS),
    meters=("objects", "heap", "data"),
)
def still_filling(view: View) -> Iterator[Finding]:
    yield from list(_of_cycles(view)) or _of_seeds(view)


def _of_seeds(view: View) -> Iterator[Finding]:
    """The finding of an instance that keeps something for each seed that it was not given before,
    where what it plays is decided by that, and nothing grows with the same one.
    """
    run = view.trace(BEGINNINGS)
    kept = run.fact(KeptOfSeeds) if run is not None else None
    if kept is None or view.leaks or not seed_decides(view) or len(kept.rounds) < LEAST_ROUNDS:
        return
    least, most = min(kept.rounds), max(kept.rounds)
    if least < LEAST_KEPT * kept.resets or most > MUCH_MORE * least:
        return
    each = sum(kept.rounds) / len(kept.rounds) / kept.resets
    names = [*(kept.arrays or kept.objects)]
    what = f" ({listing(names)})" if names else ""
    yield still_filling.finding(
        f"something fills{what}: each reset() with a seed that was not given before keeps"
        f" {size(each)}, and one with the same seed keeps nothing",
        "nothing has to be done if there are few such episodes. Keep what an episode needs in a"
        " local variable, or bound what is kept, as functools.lru_cache(maxsize=256) does.",
        evidence={
            "resets": kept.resets,
            "rounds": [*kept.rounds],
            "objects": dict(kept.objects),
            "arrays": dict(kept.arrays),
        },
    )


def _of_cycles(view: View) -> Iterator[Finding]:
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
_FLAT, _ALIKE = growing(objects=0, heap=0), compared("same-seed", differs=False)


def _kept(*rounds: int, **parts: object) -> Trace:
    """Rounds of 16 resets with new seeds, and what is left of them."""
    value = {"resets": 16, "rounds": [*rounds], **parts}
    return trace(fact("kept-of-seeds", value), name=BEGINNINGS)


_MAPS = {"arrays": {"Arm.image": 900_000}, "objects": {"Map": 48}}
EXAMPLES = (
    Example(
        "a table of the rooms that were met",
        direct_view(
            *(
                block(cycles, objects=rise)
                for cycles, rise in zip((7, 7, 7, 14, 28, 56, 112), RISES, strict=True)
            )
        ),
        "something fills: it grows slower and slower, 27 Python objects in 100 cycles at"
        " the end of 231 cycles",
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
    Example(
        "maps of all scenarios, with their images",
        direct_view(*_FLAT, _ALIKE, _kept(320_000, 300_000, 280_000, **_MAPS)),
        "something fills (Arm.image): each reset() with a seed that was not given before"
        " keeps 18.3 KiB, and one with the same seed keeps nothing",
    ),
    Example("maps of few scenarios", direct_view(*_FLAT, _ALIKE, _kept(320_000, 40_000, 0))),
    Example("a table of scores", direct_view(*_FLAT, _ALIKE, _kept(900, 900, 900))),
    Example(
        "a seed does not decide how much there is",
        direct_view(*_FLAT, compared("same-seed"), _kept(320_000, 300_000, 280_000)),
    ),
    Example(
        "the same seed again keeps as much",
        direct_view(*growing(objects=2), _ALIKE, _kept(320_000, 300_000, 280_000)),
    ),
    Example("a leak keeps its pace", direct_view(*growing(objects=2))),
    Example("full", direct_view(*growing(objects=0, heap=0))),
)
