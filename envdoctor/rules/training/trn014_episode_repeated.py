"""reset() without a seed plays the same episode again.

What it does
    Compares the first observations of an instance's episodes, and the states of the random
    generators that it may draw from. It is reported where reset() was given no seed after the first
    step, the first 16 episodes all began alike, a generator was back in the state that it had after
    the first reset(), and an instance that was made with the same arguments began otherwise with
    another seed.

    An environment with one start is left out, and so is one whose level its constructor decides.
    `envdoctor check` plays other seeds itself: DET004.

Why it matters
    A policy that sees one episode learns that episode by heart. Trainers give a seed to the first
    reset() only, and count on reset() to go on from there.

How to fix it
    Seed the generator where a seed is given, and nowhere else:

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.meals = self.np_random.integers(0, 48, 3)   # not default_rng(self.start_seed)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from envdoctor.model.environment_aims import SeedWhenGiven
from envdoctor.model.finding import ENVIRONMENT, UNKNOWN, WARNING, Finding, Location
from envdoctor.model.page import FEW, OWN, SOURCES
from envdoctor.model.training import Training as Watched
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.beginnings import name_of, other_seeds_begin_otherwise, stepped
from envdoctor.rules.evidence.training import by_site, nothing_made, of, training_of, view_of, whose


def unjudged(view: View) -> str:
    """Return why equal episodes say nothing, or nothing."""
    nothing = nothing_made(view)
    if nothing:
        return nothing
    training = training_of(view)
    long = [each for each in stepped(training) if each.reset.ended >= FEW]
    if not long:
        return f"no instance began {FEW} episodes"
    unshown = [each for each in long if _begins_alike(each) and not _is_repeated(each, training)]
    if unshown:
        return (
            f"{of(len(unshown), 'instance')} began each episode alike, and nothing shows that"
            " another seed begins otherwise: `envdoctor check` plays others"
        )
    return ""


@rule(
    "TRN014",
    "episode-repeated",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=unjudged,
    counts=counted("repeated episodes", "episodes"),
)
def episode_repeated(view: View) -> Iterator[Finding]:
    training = training_of(view)
    repeated = [each for each in stepped(training) if _is_repeated(each, training)]
    for site in by_site(repeated):
        first = site[0]
        source = _set_back(first)
        episodes = sum(each.reset.ended for each in site)
        yield episode_repeated.finding(
            f"reset() without a seed plays the same episode again: {of(len(site), 'instance')} of"
            f" {whose(site)} began {of(episodes, 'episode')}, each of its first {FEW} alike, and"
            f" {name_of(source)} is back in the same state each time",
            f"seed the generator of {first.class_name} only where reset() is given a seed, and let"
            " it go on otherwise: super().reset(seed=seed), then draw from self.np_random.",
            aim=SeedWhenGiven(first.class_name) if source == SOURCES[OWN] else None,
            location=first.location,
            # A trainer may seed those of the process before each reset().
            blame=ENVIRONMENT if source == SOURCES[OWN] else UNKNOWN,
            key=(first.type, first.by),
            evidence={"episodes": episodes, "instances": len(site), "generator": source},
        )


def _begins_alike(instance: Instances) -> bool:
    """Return whether its episodes all began with the same observation, without a seed."""
    return (
        instance.reset.ended >= FEW
        and not instance.reseeded
        and not instance.varied
        and instance.beginning != 0
    )


def _is_repeated(instance: Instances, training: Watched) -> bool:
    """Return whether that is because reset() sets a generator back, though seeds decide."""
    return (
        _begins_alike(instance)
        and _set_back(instance) != ""
        and other_seeds_begin_otherwise(instance, training)
    )


def _set_back(instance: Instances) -> str:
    """The generator that each reset() takes back to the state of the first one, or nothing."""
    kept = [source for source in instance.set_back if source not in instance.moved]
    return kept[0] if kept else ""


_AT = Location("/train.py", 9)


def _example(*seeds: int, **known: Any) -> list[Instances]:
    """Instances whose reset() makes a generator anew."""
    first = Instances(
        7,
        1,
        "glucose.Patient",
        _AT,
        step=Calls(900, 900),
        make=Calls(1, 1),
        reset=Calls(300, 300),
        arguments=3,
        set_back=("self",),
    )
    return [
        replace(first, row=row, seed=seed, beginning=seed, **known)
        for row, seed in enumerate(seeds, 1)
    ]


EXAMPLES = (
    Example(
        "a generator that is made anew of the seed it once got",
        view_of(*_example(1, 2)),
        "reset() without a seed plays the same episode again: 2 instances of Patient made"
        " at /train.py:9 began 600 episodes, each of its first 16 alike, and its own random"
        " generator is back in the same state each time",
    ),
    Example("no other seed was seen", view_of(*_example(1))),
    Example("one start", view_of(*(replace(each, beginning=1) for each in _example(1, 2)))),
    Example(
        "levels of the constructor",
        view_of(*(replace(each, arguments=each.row) for each in _example(1, 2))),
    ),
    Example(
        "tasks that are set later: no generator is set back", view_of(*_example(1, 2, set_back=()))
    ),
    Example("one that goes on as well", view_of(*_example(1, 2, moved=("self",)))),
    Example("episodes differ", view_of(*_example(1, 2, varied=True))),
    Example("the trainer gives seeds: seed-given-again", view_of(*_example(1, 2, reseeded=20))),
    Example("a few episodes", view_of(*_example(1, 2, reset=Calls(9, 9)))),
)
