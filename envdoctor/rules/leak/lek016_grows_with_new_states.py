"""A container grows with every new state, and not where one state is repeated.

What it does
    `envdoctor leak` resets one instance that stays open with one seed after another, plays some
    steps in each episode, and compares the heap before and after. Where objects or elements grow
    that do not grow in episodes with one and the same seed, it counts what each container and each
    cache gains in blocks of more and more episodes. A note is given where that keeps its pace: a
    table of a few hundred places slows down. What grows with one seed, too, is for the other rules
    on growth.

Why it matters
    Training meets new states for days. A table by observation, or functools.lru_cache without a
    bound, keeps something for each of them, which no test that repeats an episode can show.

How to fix it
    Give it a bound, or empty it where an episode begins:

        @functools.lru_cache(maxsize=1024)   # instead of maxsize=None, or functools.cache
        def value(position): ...

        def reset(self, *, seed=None, options=None):
            self._visits.clear()

    Where it has to know all that was ever met, as a bonus for new places does, leave it, and know
    what a long training takes.
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.analysis.growth.new_states import StateTable, state_tables
from envdoctor.analysis.growth.verdicts import FILLING, OPEN
from envdoctor.model.facts import as_json
from envdoctor.model.failure_aims import BoundCache
from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.meters import ELEMENTS, OBJECTS
from envdoctor.rules.engine.examples import block, direct_view, fact, trace, verb
from envdoctor.rules.engine.registry import WHERE_CHECKED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.growth import amount, every, often

CACHES = "_lru_cache_wrapper"


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


@rule(
    "LEK016",
    "grows-with-new-states",
    severity=NOTE,
    where=WHERE_CHECKED,
    needs=("leak-new-states",),
    unjudged=_grows_anyway,
)
def grows_with_new_states(view: View) -> Iterator[Finding]:
    if _grows_anyway(view):
        return
    known = frozenset(leak.holder.chain for leak in view.leaks if leak.holder)
    for table in state_tables(view.traces, known):
        holder, (number, calls) = table.holder, often(table.each)
        gained = amount(ELEMENTS, number, "element")
        owner = _owner(view, holder.chain)
        yield grows_with_new_states.finding(
            f"{holder.chain} gains {gained} in {every(calls)} episode while states are new; steady"
            f" through {table.episodes} episodes",
            _remedy(owner, table),
            aim=BoundCache(holder.chain) if holder.type.endswith(CACHES) else None,
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
            f"give {chain} a bound: functools.lru_cache(maxsize=1024), or what the memory allows."
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


def _blocks_with(*blocks: tuple[int, int], chain: str = "self._visits", kind: str = "dict") -> View:
    holder = {"type": kind, "chain": chain, "grew": 77, "unbounded": True}
    census = {"cycles": 7, "types": [], "holders": [holder], "caches": []}
    events = [
        verb(f"block:{resets}x1x20", block={**BLOCK, "resets": resets, "grew": [grew]})
        for resets, grew in blocks
    ]
    script = "open:seeds suspects:7x1x20 block:7x1x20 shut"
    return direct_view(
        trace(fact("suspects", census), *events, name="leak-new-states", script=script)
    )


STEADY = ((7, 77), (7, 77), (7, 77), (14, 154), (28, 308))
EXAMPLES = (
    Example(
        "a table by place, in a world without end",
        _blocks_with(*STEADY),
        "self._visits gains 11 elements in every episode while states are new; steady"
        " through 63 episodes",
    ),
    Example(
        "a cache without a bound, of the levels",
        _blocks_with(
            (7, 7),
            (7, 7),
            (7, 7),
            (14, 14),
            (28, 28),
            chain="sick.level",
            kind="functools._lru_cache_wrapper",
        ),
        "sick.level gains 1 element in every episode while states are new; steady through"
        " 63 episodes",
    ),
    Example(
        "rooms by chance, which come with one seed, too",
        direct_view(
            *_blocks_with(*STEADY, chain="sick.ROOMS").traces,
            *(block(cycles, objects=cycles // 4) for cycles in (7, 7, 7, 14, 28)),
        ),
    ),
    Example("few places, which fill up", _blocks_with((7, 40), (7, 12), (7, 4), (14, 3), (28, 1))),
    Example("all places were met", _blocks_with((7, 0), (7, 0), (7, 0), (14, 0), (28, 0))),
)
