"""Different workers live the same episodes.

What it does
    Gives the instances of one manager the same actions after their second reset, and compares what
    they return there and at both resets. It is reported when all is equal although chance plays a
    part: when all draw from a generator that is in the same state in each of them, or when
    instances without a manager begin differently with these seeds, or when the episodes of one
    instance differ from each other by fractions: then a generator that Python does not see (a
    simulator's own, with a constant seed) decides. An environment without chance is healthy.

Why it matters
    Eight workers that live the same episodes give the data of one. Nothing fails; training is eight
    times as slow.

How to fix it
    Let the seed that reset() is given reach the generator, in place of a constant or a state that
    workers inherit:

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)        # self.np_random differs between workers
            self.goal = self.np_random.uniform(-1.0, 1.0)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from envdoctor.model.environment_aims import OwnRandom
from envdoctor.model.facts import Mirrored
from envdoctor.model.finding import ENVIRONMENT, UNKNOWN, Finding
from envdoctor.model.remedy import Aim
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import (
    compared,
    random_events,
    reading,
    trace,
    vector_view,
    verb,
)
from envdoctor.rules.engine.registry import VECTOR_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import (
    culprits,
    cure,
    in_process,
    inconclusive,
    nothing_arrives,
    replayed,
    right_without_shared_memory,
    stays,
)
from envdoctor.rules.evidence.leftover import leftover_places
from envdoctor.rules.evidence.random_streams import of_workers, said, shared
from envdoctor.rules.evidence.side_effects import seeding_reset, sentence

ENOUGH = 3  # equal answers: two resets and a step


@rule(
    "VEC002",
    "workers-share-a-seed",
    explains=Cause.SEED_SHARED,
    where=VECTOR_ONLY,
    verb="reset",
    compares="mirrored",
    looks_at={"life": "reset"},
    follow_ups=("replay", "without-shared-memory", "replay-of-piped"),
    gives_way=(Cause.VECTOR_DIFFERS, Cause.RESET_NOT_SEEDED),
)
def workers_share_a_seed(view: View) -> Iterator[Finding]:
    run = view.trace("life")
    mirrored = run.fact(Mirrored) if run else None
    if (
        run is None
        or mirrored is None
        or mirrored.differs
        or inconclusive(mirrored)
        or mirrored.calls < ENOUGH
    ):
        return
    sources = shared(run)
    alone = [reported for reported in replayed(view) if reported.seeds_matter]
    if not sources and not alone and not mirrored.varies:
        return
    why, text, aim = _reason(view, sources)
    yield workers_share_a_seed.finding(
        f"different workers live the same episodes ({mirrored.calls} equal answers to the same"
        f" actions after two resets): {why}",
        text,
        aim=aim,
        location=view.locate("reset"),
        blame=ENVIRONMENT if _is_deaf_alone(view, sources) else UNKNOWN,
        evidence={
            "mirrored": mirrored.as_json(),
            "sources": sources,
            "instances": len(of_workers(run)),
            "alone": [item.as_json() for item in alone],
        },
        # What they return never arrives.
        explained_by=(Cause.VECTOR_DIFFERS,)
        if right_without_shared_memory(view) or nothing_arrives(view)
        else (),
        # Nothing shows chance, and an attribute is known in which an episode lives on.
        explained_alone=(Cause.RESET_NOT_SEEDED,)
        if leftover_places(view) and not (sources or alone)
        else (),
    )


def _reason(view: View, sources: list[str]) -> tuple[str, str, Aim | None]:
    """Return why they are alike, the remedy, and its aim. Where one seed gives different episodes,
    a difference between seeds proves nothing about seeds: a thread may draw from what the workers
    inherit.
    """
    alone = any(reported.seeds_matter for reported in replayed(view))
    if not sources and not alone and _fresh_ones_agree(view):
        why = (
            "episode after episode differs in each of them, and in all of them alike, so no seed"
            " reaches what makes them differ"
        )
        return why, _seed_for_a_library(view), None
    if sources:
        return f"all draw from {said(sources)} in the same state{_reseeded(view, sources)}", *cure(
            view, sources
        )
    if in_process(view):
        return (
            "alone, no two episodes are alike, and no seed reaches what makes them differ",
            *cure(view, culprits(view, "reset")),
        )
    text = (
        f"see that {view.manager} hands a seed of its own to each {view.class_name}, and that"
        " reset() obeys it."
    )
    return (
        "alone, the seeds that they should have been given make them differ",
        text,
        OwnRandom("self._np_random"),
    )


def _reseeded(view: View, sources: list[str]) -> str:
    """`, since reset() seeds it with one number (arm.py:9), for any seed that it is given`: where
    the workers are given seeds that matter, and reset() seeds all that they share.
    """
    effect = seeding_reset(view.direct, sources)
    if effect is None or any(each.seeds_matter for each in replayed(view)):
        return ""
    return (
        f", since reset() seeds it with one number{sentence(effect)}, for any seed that it is given"
    )


def _is_deaf_alone(view: View, sources: list[str]) -> bool:
    """Return True if seeds do not reach it without a manager either, while they reach a null
    environment under this one.
    """
    others = view.control is not None and any(
        True for _ in workers_share_a_seed.judge(view.control)
    )
    return bool(in_process(view) or _reseeded(view, sources)) and not others


def _seed_for_a_library(view: View) -> str:
    """Return the remedy where the generator is one that Python does not see."""
    own = view.api.generator
    takes = "reset" if own or view.api.seeds_in_reset else "seed"
    text = (
        f"find the call of {view.class_name} that seeds its simulator or library (often in the"
        f" constructor, with a constant), and make it in {view.class_name}.{takes}() with the seed"
        " that is given there"
    )
    return (
        f"{text}; int({own}.integers(2**31)) draws one where none is given." if own else f"{text}."
    )


def _fresh_ones_agree(view: View) -> bool:
    """Return True if new instances without a manager begin alike, though a used one goes on: the
    constructor alone sets what draws.
    """
    result = in_process(view)
    unseeded = culprits(view, "reset")
    return all(stays(view, unseeded, between) for _, between in result)


def _alike(*events: object, differs: bool = False, **values: Any) -> View:
    """Two workers whose generator went the same way."""
    mirrored = compared("mirrored", differs, **values)
    states = [
        event
        for pid in (7, 8)
        for event in random_events("self.rng", "ab", "cd", pid=pid, parent=False)
    ]
    return vector_view(
        trace(
            *mirrored.events,
            *(states if not events else ()),
            script="make reset step:20 reset mirror:5 close drop",
        )
    )


def _of_process(*states: str, seeds_matter: bool = False) -> View:
    """Two workers that draw from numpy's generator, which had such states in two lives alone:
    before the constructor, after it and after reset().
    """
    drawn = [
        event
        for pid in (7, 8)
        for event in random_events("numpy.random", "ab", "cd", pid=pid, parent=False)
    ]
    points = ("before", "made", "reset")
    readings = [
        reading(points[at % 3], {"random": {"numpy.random": state}}, at // 3)
        for at, state in enumerate(states)
    ]
    mirrored = compared("mirrored", False)
    workers = trace(*mirrored.events, *drawn, script="make reset step:20 reset mirror:5 close drop")
    view = vector_view(workers)
    again = compared(
        "replayed",
        name="replay",
        manager=view.manager,
        start_method=view.start_method,
        slot=1,
        seeds_matter=True,
    )
    others = (again,) if seeds_matter else ()
    alone = trace(verb("make"), *readings, manager="direct", start_method=None)
    return replace(view, other_places=(alone, *others))


_SHARED = (
    "different workers live the same episodes (21 equal answers to the same actions after two"
    " resets): all draw from numpy.random in the same state"
)

EXAMPLES = (
    Example(
        "reset() seeds the generator of the process, and not with its seed",
        _of_process("1", "1", "7", "8", "8", "7"),
        f"{_SHARED}, since reset() seeds it with one number, for any seed that it is given",
    ),
    Example(
        "reset() draws from the generator of the process",
        _of_process("1", "1", "7", "8", "8", "9"),
        _SHARED,
    ),
    Example(
        "reset() seeds it with its seed, and all workers are given one",
        _of_process("1", "1", "7", "8", "8", "7", seeds_matter=True),
        _SHARED,
    ),
    Example(
        "each has a generator with a constant seed",
        _alike(),
        "different workers live the same episodes (21 equal answers to the same actions"
        " after two resets): all draw from self.rng in the same state",
    ),
    Example(
        "the manager gives all of them one seed",
        View(
            "Sick-v0",
            "other",
            "spawn",
            _alike(None).traces,
            other_places=(
                compared(
                    "replayed",
                    name="replay",
                    manager="other",
                    start_method="spawn",
                    slot=1,
                    seeds_matter=True,
                ),
            ),
        ),
        "different workers live the same episodes (21 equal answers to the same actions"
        " after two resets): alone, the seeds that they should have been given make them"
        " differ",
    ),
    Example(
        "a thread draws from what forked workers inherit",
        View(
            "Sick-v0",
            "other",
            "fork",
            _alike(None).traces,
            other_places=(
                compared("same-seed"),
                compared(
                    "replayed",
                    name="replay",
                    manager="other",
                    start_method="fork",
                    slot=1,
                    seeds_matter=True,
                ),
            ),
        ),
        "different workers live the same episodes (21 equal answers to the same actions"
        " after two resets): alone, no two episodes are alike, and no seed reaches what"
        " makes them differ",
    ),
    Example(
        "a generator in C with a constant seed",
        _alike(None, varies=True),
        "different workers live the same episodes (21 equal answers to the same actions"
        " after two resets): episode after episode differs in each of them, and in all of"
        " them alike, so no seed reaches what makes them differ",
    ),
    Example("an environment without chance", _alike(None)),
    Example("they differ", _alike(differs=True)),
)
