"""The trainer gives reset() the same seed again and again.

What it does
    Counts the calls of reset() after an instance's first step that were given the seed that it
    began with, and compares what the first 16 of them returned with the first observation. It is
    reported where there were 16 or more, none of them with another seed, all of those returned the
    same, and something shows that the seed decides: the instance begins otherwise without a seed,
    another seed begins otherwise in an instance that was made with the same arguments, or the
    generator of that seed was drawn from by a reset() that returned fractions, or whole numbers
    that are the first draws of it; or the first of these calls took back the generators of the
    instance, which the episode before had drawn from. What seed() of an older interface is given
    counts as the seed of the reset() that follows.

    What makes fewer steps than the instances without such a seed is left out: an evaluation may
    play the same episodes on purpose. So is a seed that a wrapper gives, such as MiniGrid's
    ReseedWrapper.

Why it matters
    A policy that sees one episode learns that episode by heart. The curves look good; any other
    seed shows that nothing was learned.

How to fix it
    Give the seed to the first reset() only. The generator goes on from there:

        observation, info = env.reset(seed=SEED)
        for episode in range(1000):
            ...
            observation, info = env.reset()
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from envdoctor.model.finding import WARNING, Finding, Location
from envdoctor.model.page import FEW
from envdoctor.model.training import Training as Watched
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.beginnings import (
    other_seeds_begin_otherwise,
    repeats_its_seed,
    stepped,
    steps_of,
)
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import by_site, nothing_made, of, training_of, view_of, whose
from envdoctor.rules.remedies.aims import seed_once


def unjudged(view: View) -> str:
    """Return why seeds that come again say nothing, or nothing."""
    training = training_of(view)
    unshown = [each for each in _repeated(training) if not _seed_decides(each, training)]
    if unshown:
        return (
            f"reset() of {of(len(unshown), 'instance')} was given one seed in every episode, and"
            " nothing shows that another seed begins otherwise"
        )
    return nothing_made(view)


@rule(
    "TRN013",
    "seed-given-again",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=unjudged,
    counts=counted("resets with a seed given again", "resets"),
)
def seed_given_again(view: View) -> Iterator[Finding]:
    training = training_of(view)
    shown = [each for each in _repeated(training) if _seed_decides(each, training)]
    for site in by_site(shown):
        first = site[0]
        again = sum(each.same for each in site)
        seed = "the same seed" if len(site) > 1 else f"seed {first.seed}"
        instances = f"{len(site)} instances of " if len(site) > 1 else ""
        what = _what_repeats(site, training)
        yield seed_given_again.finding(
            f"reset() of {instances}{whose(site)} was given {seed} again {again:,}"
            f" times{_at(first)}, and began with the same observation (in the first {FEW} of each"
            f" instance){what}",
            "give the seed to the first reset() only, and call reset() without a seed from then on:"
            " the generator goes on.",
            aim=seed_once(first.location, first.seeded_again_at),
            location=first.seeded_again_at or first.location,
            key=(first.type, first.by),
            evidence={
                "resets": again,
                "instances": len(site),
                "seeds": sorted({each.seed for each in site if each.seed is not None})[:FEW],
                "vectorizer": first.by,
            },
        )


def _what_repeats(site: list[Instances], training: Watched) -> str:
    """Return what comes again: whole episodes where chance decides how one begins."""
    if any(_beginning_decided(each, training) for each in site):
        return ": the training repeats its episodes"
    return (
        ", and with the same state of its generators, which episodes draw from: chance plays the"
        " same part in all of them"
    )


def _at(instance: Instances) -> str:
    """` at train.py:38`, or nothing."""
    place = instance.seeded_again_at
    return f" at {short(place.file)}:{place.line}" if place else ""


def _repeated(training: Watched) -> list[Instances]:
    """Instances that repeat their seed, where they make most of the steps."""
    repeated = [each for each in stepped(training) if repeats_its_seed(each)]
    everything = steps_of(training.created_here)
    return repeated if 2 * steps_of(repeated) > everything else []


def _seed_decides(instance: Instances, training: Watched) -> bool:
    """Return whether something shows that chance decides how an episode begins, or goes on, and
    the seed decides that.
    """
    return _beginning_decided(instance, training) or instance.drawn_again


def _beginning_decided(instance: Instances, training: Watched) -> bool:
    return instance.varied or instance.drawn or other_seeds_begin_otherwise(instance, training)


_AT = Location("/train.py", 11)


def _example(*seeds: int, steps: int = 900, same: int = 149, **known: Any) -> list[Instances]:
    """Instances that get their seeds again and again."""
    first = Instances(
        7,
        1,
        "cart.Cart",
        _AT,
        step=Calls(steps, steps),
        make=Calls(1, 1),
        same=same,
        reseeded=same,
        alike=min(same, FEW),
        arguments=3,
    )
    return [
        replace(first, row=row, seed=seed, beginning=seed, **known)
        for row, seed in enumerate(seeds, 1)
    ]


_SAME = (
    "and began with the same observation (in the first 16 of each instance): the training repeats"
    " its episodes"
)
_MESSAGE = f"reset() of Cart made at /train.py:11 was given seed 5 again 149 times, {_SAME}"

EXAMPLES = (
    Example(
        "three runs, each with one seed",
        view_of(*_example(1, 2, 3)),
        "reset() of 3 instances of Cart made at /train.py:11 was given the same seed again"
        f" 447 times, {_SAME}",
    ),
    Example(
        "one instance that begins otherwise where the vectorizer resets it",
        view_of(*_example(5, varied=True)),
        _MESSAGE,
    ),
    Example("one instance that draws fractions", view_of(*_example(5, drawn=True)), _MESSAGE),
    Example("one start: no seed begins otherwise", view_of(*_example(5))),
    Example(
        "one start, and steps that draw from what each reset() takes back",
        view_of(*_example(5, drawn_again=True)),
        "reset() of Cart made at /train.py:11 was given seed 5 again 149 times, and began"
        " with the same observation (in the first 16 of each instance), and with the same"
        " state of its generators, which episodes draw from: chance plays the same part in"
        " all of them",
    ),
    Example(
        "levels of the constructor, and seeds that do not matter",
        view_of(*(replace(each, arguments=each.row) for each in _example(1, 2, 3))),
    ),
    Example(
        "copies, whose arguments are those of the original", view_of(*_example(1, 2, make=Calls()))
    ),
    Example("seeds in turn", view_of(*_example(1, 2, reseeded=200))),
    Example("the seed does not decide", view_of(*_example(1, 2, alike=3))),
    Example("a few times", view_of(*_example(1, 2, same=9))),
    Example("a wrapper that gives the seed", view_of(*_example(1, 2, forced=True))),
    Example(
        "an evaluation beside a training",
        view_of(
            *_example(1, 2),
            replace(_example(4)[0], same=0, reseeded=0, alike=0, step=Calls(2000, 2000)),
        ),
    ),
)
