"""All instances of a vectorizer draw the same random numbers, without a common seed.

What it does
    Compares the first observations of a vectorizer's instances, and the states of the random
    generators that they may draw from: those of `random`, `numpy.random` and PyTorch in their
    process, and those that the instance and its own objects hold. It is reported where all began
    with the same observation, later episodes of each began in another way, and one generator was
    in the same state in all of them and went on.

    Workers that begin alike without chance are left out: where there is only one start, and where
    each plays the same levels in the same order. So are groups of workers that begin alike where
    the groups differ, as GRPO has them, and vectorizers that made less than half of the steps of
    the busiest one. A generator inside of a compiled simulator is not seen. Where reset()
    gave all of them one seed, that is TRN011.

    A note is what the constructors of a class drew from a generator of their forked workers, which
    was in the same state in all of them, where each instance was given a seed of its own
    afterwards.

Why it matters
    Eight workers that play the same episodes give the data of one. Nothing fails; training is up to
    eight times as slow.

How to fix it
    Draw from a generator that the seed of reset() decides, and let the vectorizer give each
    instance its own:

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.goal = self.np_random.uniform(-1.0, 1.0)      # not np.random.uniform

    Where the constructor takes a seed, bind its value. A lambda looks `index` up when it is called,
    which is after the loop:

        envs = AsyncVectorEnv([functools.partial(make, index) for index in range(8)])

    A deep copy has the generators of its original, in the same state, and so has an instance that
    was made before its workers were forked: call the constructor for each instance.

    A seed that comes after the constructor does not decide what that has drawn. Seed the generator
    in the function that makes the environment, which is called in the worker.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from envdoctor.frameworks import profile_of
from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, UNKNOWN, WARNING, Finding, Location
from envdoctor.model.page import SOURCES
from envdoctor.model.training_aims import SeedWorkers
from envdoctor.model.training_draws import ConstructorDraw
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.beginnings import (
    at_lines,
    begin_alike,
    busy_groups,
    constructed_alike,
    constructed_in_workers,
    copies_of_one,
    drawing_lines,
    have_one_seed,
    name_of,
    shared_source,
    why_no_group,
)
from envdoctor.rules.evidence.training import not_inside, of, training_of, view_of, whose
from envdoctor.rules.remedies.aims import bind_late

OF_THE_INSTANCE = "self"


def unjudged(view: View) -> str:
    """Return why first observations say nothing, or nothing."""
    outside = not_inside(view)
    if outside:
        return outside
    training = training_of(view)
    every = list(busy_groups(training))
    if not every and any(constructed_in_workers(training)):
        return ""
    if not every:
        return why_no_group(training)
    groups = [group for group in every if not have_one_seed(group)]
    if not groups:
        return "the instances of each vectorizer were given one seed"
    unknown = [group for group in groups if not all(each.beginning for each in group)]
    if unknown:
        return f"what reset() returned to {of(len(unknown[0]), 'instance')} cannot be compared"
    for group in groups:
        if len({each.beginning for each in group}) > 1:
            continue
        if not all(each.varied for each in group):
            return (
                f"{of(len(group), 'instance')} began alike, and some of them in each episode:"
                " there may be one start"
            )
        if not shared_source(group):
            return (
                f"{of(len(group), 'instance')} began alike, and none of the random generators that"
                " Python holds is in the same state in all of them and goes on"
            )
    return ""


@rule(
    "TRN012",
    "equal-beginnings",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=unjudged,
    counts=counted("instances that begin alike", "instances"),
)
def equal_beginnings(view: View) -> Iterator[Finding]:
    training = training_of(view)
    for group in busy_groups(training):
        first, are_copies = group[0], copies_of_one(training, group)
        source = shared_source(group)
        if not source or not begin_alike(group) or have_one_seed(group) or _differ(group):
            continue
        yield equal_beginnings.finding(
            f"all {len(group)} {_subject(group, are_copies)} began with the same observation,"
            f" {_seeds(group)}: {_state(source)}, so they play the same episodes",
            _cure(first, source, are_copies, drawing_lines(first.type, source, training)),
            aim=bind_late(first.location),
            location=first.location,
            key=(first.type, first.by),
            evidence={
                "instances": len(group),
                "generator": source,
                "pids": sorted({each.pid for each in group}),
                "vectorizer": first.by,
            },
        )

    for drawn, group in constructed_alike(training):
        yield _drawn_alike(drawn, group)


def _drawn_alike(drawn: ConstructorDraw, group: list[Instances]) -> Finding:
    """Constructors in forked workers drew the same numbers."""
    first, lines = group[0], (drawn.location,) if drawn.location else ()
    return equal_beginnings.finding(
        f"the constructors of all {len(group)} instances of {whose(group)} drew the same numbers"
        f" from {name_of(drawn.source)}{at_lines(lines)}: each forked worker began with the state"
        " of its parent, and the seeds that the instances were given came later",
        f"seed {name_of(drawn.source)} in the function that makes the environment, which is called"
        " in the worker, with another seed for each; or draw from self.np_random in"
        f" {first.class_name}.reset().",
        aim=_seed_workers(first.location, drawn.source),
        severity=NOTE,
        location=drawn.location or first.location,
        key=(first.type, first.by, drawn.source),
        blame=UNKNOWN,
        evidence={"instances": len(group), "generator": drawn.source},
    )


def _seed_workers(made: Location | None, source: str) -> SeedWorkers | None:
    return SeedWorkers(Frame(made.file, made.line), source) if made else None


def _differ(group: list[Instances]) -> bool:
    """Return whether they are of several classes, or got other seeds after the first step."""
    return any(each.type != group[0].type or each.reseeded for each in group)


def _subject(group: list[Instances], are_copies: bool) -> str:
    if are_copies:
        return f"workers have copies of one instance of {whose(group)}, before the fork, and"
    return f"instances of {whose(group)}"


def _state(source: str) -> str:
    if source == OF_THE_INSTANCE:
        return "their own random generators are in the same state"
    return f"{name_of(source)} is in the same state in all of them"


def _seeds(group: list[Instances]) -> str:
    values = {each.seed for each in group}
    if values == {None}:
        return "without a seed"
    return f"with {of(len(values - {None}), 'seed')}"


def _cure(first: Instances, source: str, are_copies: bool, lines: tuple[Location, ...]) -> str:
    """Return what to change, by the generator that they share."""
    call = profile_of(first.by).seed_instances
    seeds = f" `{call}` gives each instance a seed of its own." if call else ""
    if source == OF_THE_INSTANCE and are_copies:
        return (
            "have each function that the vectorizer gets call the constructor"
            f" (`lambda: {first.class_name}()`, not `lambda: env`): a fork copies the instance with"
            f" its random generators, in the same state.{seeds}"
        )
    if source == OF_THE_INSTANCE and first.copied:
        return (
            f"call the constructor of {first.class_name} for each instance, in its worker, in place"
            " of a copy of one: a copy has the generators of its original, in the same state."
            f"{seeds}"
        )
    if source == OF_THE_INSTANCE:
        return (
            f"give each {first.class_name} another seed: bind the value that the constructor gets"
            " (functools.partial(make, index), not a lambda that looks `index` up later), or seed"
            f" its generator in reset().{seeds}"
        )
    return (
        f"draw in {first.class_name} from a generator of its own that the seed of reset() decides,"
        f" in place of {name_of(source)}{at_lines(lines)}: workers inherit its state.{seeds}"
    )


_AT = Location("/train.py", 14)


def _example(
    number: int = 3, group: str = "1.1", source: str = "self", steps: int = 90, **known: Any
) -> tuple[Instances, ...]:
    """Instances of a vectorizer that begin alike, each in a worker of its own."""
    calls = Calls(steps, steps)
    states = tuple(7 if name == source else 0 for name in SOURCES)
    first = Instances(
        2,
        1,
        "arm.Arm",
        _AT,
        "gymnasium-async",
        step=calls,
        group=group,
        beginning=5,
        varied=True,
        generators=states,
        moved=(source,),
    )
    return tuple(replace(first, pid=pid, **known) for pid in range(2, 2 + number))


def _each(**known: tuple[object, ...]) -> View:
    """Two instances that differ in some fields."""
    first, second = _example(2)
    values: list[dict[str, Any]] = [
        {name: pair[at] for name, pair in known.items()} for at in (0, 1)
    ]
    return view_of(replace(first, **values[0]), replace(second, **values[1]))


def _constructed(*states: int) -> tuple[Instances, ...]:
    """Three instances whose constructors drew in workers, from generators in these states."""
    draws = [
        ConstructorDraw("numpy.random", state, Location("/arm.py", 9, "Arm.__init__"))
        for state in states or (5, 5, 5)
    ]
    alike = _example(by="", group="", varied=False)
    return tuple(
        replace(each, seed=each.pid, constructed=(drawn,))
        for each, drawn in zip(alike, draws, strict=True)
    )


_ALIKE = (
    "all 3 instances of Arm made at /train.py:14 began with the same observation, without a seed"
)

EXAMPLES = (
    Example(
        "a lambda that looks its index up later",
        view_of(*_example()),
        f"{_ALIKE}: their own random generators are in the same state, so they play the"
        " same episodes",
    ),
    Example(
        "forked workers that draw from numpy.random",
        view_of(*_example(source="numpy.random")),
        f"{_ALIKE}: numpy.random is in the same state in all of them, so they play the same"
        " episodes",
    ),
    Example(
        "seeds that do not reach the generator",
        _each(seed=(4, 5)),
        "all 2 instances of Arm made at /train.py:14 began with the same observation, with"
        " 2 seeds: their own random generators are in the same state, so they play the same"
        " episodes",
    ),
    Example(
        "deep copies of one environment",
        view_of(*_example(copied=True)),
        f"{_ALIKE}: their own random generators are in the same state, so they play the"
        " same episodes",
    ),
    Example("one seed for all: equal-seeds", _each(seed=(4, 4))),
    Example("they begin otherwise", _each(beginning=(5, 6))),
    Example("one start", view_of(*_example(varied=False))),
    Example("the same levels in the same order", view_of(*_example(moved=()))),
    Example("a generator that each reset() sets back", view_of(*_example(set_back=("self",)))),
    Example("generators in different states", _each(generators=((0, 0, 0, 7), (0, 0, 0, 8)))),
    Example(
        "one generator for all", view_of(*(replace(each, pid=2) for each in _example(holds=9)))
    ),
    Example(
        "one process, whose generator they share",
        view_of(*(replace(each, pid=2) for each in _example(source="random"))),
    ),
    Example(
        "constructors draw before the seeds come",
        view_of(*_constructed()),
        "the constructors of all 3 instances of Arm made at /train.py:14 drew the same"
        " numbers from numpy.random at arm.py:9: each forked worker began with the state of"
        " its parent, and the seeds that the instances were given came later",
    ),
    Example("each worker is seeded before its constructor", view_of(*_constructed(5, 6, 7))),
    Example(
        "no seed comes after it: they may be meant to be alike",
        view_of(*(replace(each, seed=None) for each in _constructed())),
    ),
    Example(
        "an evaluation",
        view_of(
            *_example(steps=40),
            *(replace(each, beginning=each.pid) for each in _example(group="1.2")),
        ),
    ),
)
