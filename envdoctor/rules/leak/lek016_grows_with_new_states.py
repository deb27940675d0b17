"""Something grows with every new state, and not where one state is repeated.

What it does
    `envdoctor leak` resets one instance that stays open with one seed after another, plays some
    steps in each episode, and compares the heap before and after. Where objects or elements grow
    that do not grow in episodes with one and the same seed, it counts what each container and each
    cache gains in blocks of more and more episodes. A note is given where that keeps its pace: a
    table of a few hundred places slows down. What grows with one seed, too, is for the other rules
    on growth. `envdoctor check` resets one with rounds of new seeds, and measures all that it leads
    to when it is given the first seed again: what each round adds is kept of each new seed.

Why it matters
    Training meets new states for days. A table by observation, or functools.lru_cache without a
    bound, keeps something for each of them, which no test that repeats an episode can show.

How to fix it
    Give it a bound, or empty it where an episode begins:

        @functools.lru_cache(maxsize=4096)   # instead of maxsize=None, or functools.cache
        def value(position): ...

        def reset(self, *, seed=None, options=None):
            self._visits.clear()

    Where it has to know all that was ever met, as a bonus for new places does, leave it, and know
    what a long training takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envdoctor.analysis.growth.new_states import ELEMENTS, StateTable, state_tables
from envdoctor.analysis.growth.verdicts import FILLING, OPEN
from envdoctor.model.facts import KeptOfSeeds, as_json
from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.meters import OBJECTS
from envdoctor.model.scenario import BEGINNINGS
from envdoctor.model.trace import Trace
from envdoctor.model.units import size
from envdoctor.rules.engine.examples import block, compared, direct_view, fact, growing, trace, verb
from envdoctor.rules.engine.registry import WHERE_CHECKED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import seed_decides
from envdoctor.rules.evidence.growth import NO_ROOM
from envdoctor.rules.wording.growth import amount, every, often
from envdoctor.rules.wording.leftovers import listing

CACHES = "_lru_cache_wrapper"

#: Bytes for each reset with a new seed that are worth a word; rounds that have to agree, as far as
#: chance lets some seeds play the same episode.
LEAST_KEPT, LEAST_ROUNDS, MUCH_MORE = 1024, 3, 3


def _grows_anyway(view: View) -> str:
    """Return the reason why growth may have nothing to do with new states, or nothing: something
    grows with one seed, too, and it is not known which container has it.
    """
    unknown = {leak.meter for leak in view.leaks if leak.holder is None}
    grows = (
        meter in unknown or growth.kind in (FILLING, OPEN)
        for side in view.sides
        for meter, growth in side.growths.items()
        if meter in (OBJECTS, ELEMENTS)
    )
    return "something grows where one seed is repeated, too" if any(grows) else ""


def _unjudged(view: View) -> str:
    """Return the reason why growth with new states is not known, or nothing."""
    if not (view.all("leak-new-states") or _kept_of_seeds(view)):
        return f"episodes with other seeds: {NO_ROOM}"
    return _grows_anyway(view)


def _kept_of_seeds(view: View) -> KeptOfSeeds | None:
    run = view.trace(BEGINNINGS)
    return run.fact(KeptOfSeeds) if run is not None else None


@rule(
    "LEK016",
    "grows-with-new-states",
    severity=NOTE,
    where=WHERE_CHECKED,
    needs=("leak-new-states", BEGINNINGS),
    also_reads=("life", "reuse"),
    unjudged=_unjudged,
)
def grows_with_new_states(view: View) -> Iterator[Finding]:
    if _grows_anyway(view):
        return
    yield from _tables(view)
    yield from _instances(view)


def _instances(view: View) -> Iterator[Finding]:
    """The finding of an instance that keeps something for each seed that it was not given before,
    where what it plays is decided by that, and nothing grows with the same one.
    """
    kept = _kept_of_seeds(view)
    if kept is None or view.leaks or not seed_decides(view) or len(kept.rounds) < LEAST_ROUNDS:
        return
    least, most = min(kept.rounds), max(kept.rounds)
    if least < LEAST_KEPT * kept.resets or most > MUCH_MORE * least:
        return
    each = sum(kept.rounds) / len(kept.rounds) / kept.resets
    names = [*(kept.arrays or kept.objects)]
    what = f" ({listing(names)})" if names else ""
    yield grows_with_new_states.finding(
        f"each reset() with a seed that was not given before keeps {size(each)}{what}, and one"
        " with the same seed keeps nothing",
        "nothing has to be done if there are few such episodes. Keep what an episode needs in a"
        " local variable, or bound what is kept, as functools.lru_cache(maxsize=256) does.",
        location=view.locate("reset"),
        evidence={
            "resets": kept.resets,
            "rounds": [*kept.rounds],
            "objects": dict(kept.objects),
            "arrays": dict(kept.arrays),
        },
    )


def _tables(view: View) -> Iterator[Finding]:
    """The findings of containers and caches that gain elements."""
    known = frozenset(leak.holder.chain for leak in view.leaks if leak.holder)
    for table in state_tables(view.traces, known):
        holder, (number, calls) = table.holder, often(table.each)
        gained = amount("elements", number, "element")
        owner = _owner(view, holder.chain)
        yield grows_with_new_states.finding(
            f"{holder.chain} gains {gained} in {every(calls)} episode that begins with another"
            f" seed; steady through {table.episodes} episodes",
            _remedy(owner, table),
            location=holder.lines[0].location if holder.lines else owner.locate("step"),
            key=(holder.chain,),
            evidence={
                "per_episode": table.each,
                "episodes": table.episodes,
                "blocks": list(table.blocks),
                "lines": as_json(holder.lines),
            },
        )


def _owner(view: View, chain: str) -> View:
    """The view of the wrapper that a chain begins at, else of the environment."""
    name = chain.split(".", maxsplit=1)[0]
    wrappers = (each for each in view.survey.wrappers if each.name.rpartition(".")[2] == name)
    return next((view.of_wrapper(wrapper) for wrapper in wrappers), view)


def _remedy(view: View, table: StateTable) -> str:
    chain = table.holder.chain
    if table.holder.type.endswith(CACHES):
        return (
            f"give {chain} a bound: functools.lru_cache(maxsize=4096), or what the memory allows."
        )
    return (
        f"bound {chain}, or empty it in {view.class_name}.reset(); where it has to know all that"
        " was ever met, reckon with its memory in a long training."
    )


BLOCK = {
    "creates": 0,
    "steps": 20,
    "renders": 0,
    "seconds": 0.0,
    "before": {"objects": 100},
    "after": {"objects": 100},
    "sizes": [0],
}


def _played(*blocks: tuple[int, int], chain: str = "self._visits", kind: str = "dict") -> View:
    holder = {"type": kind, "chain": chain, "grew": 77, "unbounded": True}
    census = {"cycles": 7, "types": [], "holders": [holder], "caches": []}
    events = [
        verb(
            f"block:{resets}x1x20",
            block={**BLOCK, "resets": resets, "grew": [grew]},
        )
        for resets, grew in blocks
    ]
    script = "open:seeds suspects:7x1x20 block:7x1x20 shut"
    return direct_view(
        trace(fact("suspects", census), *events, name="leak-new-states", script=script)
    )


_FLAT, _ALIKE = growing(objects=0, heap=0), compared("same-seed", differs=False)


def _kept(*rounds: int, **parts: Any) -> Trace:
    """Rounds of 16 resets with new seeds, and what is left of them."""
    value = {"resets": 16, "rounds": [*rounds], **parts}
    return trace(fact("kept-of-seeds", value), name=BEGINNINGS)


_MAPS = {"arrays": {"Arm.image": 900_000}, "objects": {"Map": 48}}
STEADY = ((7, 77), (7, 77), (7, 77), (14, 154), (28, 308))
EXAMPLES = (
    Example(
        "a table by place, in a world without end",
        _played(*STEADY),
        (
            (
                "self._visits gains 11 elements in every episode that begins with another seed;"
                " steady through 63 episodes"
            ),
        ),
    ),
    Example(
        "a cache without a bound, of the levels",
        _played(
            (7, 7),
            (7, 7),
            (7, 7),
            (14, 14),
            (28, 28),
            chain="sick.level",
            kind="functools._lru_cache_wrapper",
        ),
        (
            (
                "sick.level gains 1 element in every episode that begins with another seed; steady"
                " through 63 episodes"
            ),
        ),
    ),
    Example(
        "rooms by chance, which come with one seed, too",
        direct_view(
            *_played(*STEADY, chain="sick.ROOMS").traces,
            *(block(cycles, objects=cycles // 4) for cycles in (7, 7, 7, 14, 28)),
        ),
    ),
    Example("few places, which fill up", _played((7, 40), (7, 12), (7, 4), (14, 3), (28, 1))),
    Example(
        "maps of all scenarios, with their images",
        direct_view(*_FLAT, _ALIKE, _kept(320_000, 300_000, 280_000, **_MAPS)),
        (
            (
                "each reset() with a seed that was not given before keeps 18.3 KiB (Arm.image), and"
                " one with the same seed keeps nothing"
            ),
        ),
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
    Example("all places were met", _played((7, 0), (7, 0), (7, 0), (14, 0), (28, 0))),
)
