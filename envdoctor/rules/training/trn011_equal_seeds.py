"""All instances of a vectorizer began with the same seed.

What it does
    Notes the seed that each instance was given by its last reset(seed=...) before its first step,
    and a digest of what its last reset() before that step returned. It is reported where all
    instances of one vectorizer that were stepped have the same of both, and play on from there: no
    later reset() gave them a seed, and their next episodes began in another way, so that chance
    plays a part.

    An instance that is given a seed for each episode is left out, and so are vectorizers that made
    less than half of the steps of the busiest one: an evaluation may use the same seed on purpose.
    Vectorizers of one class that share some of their seeds, and begin alike with them, are a note:
    runs with the seeds 0, 1 and 2 often share most of those of their instances. Where one process
    gives several vectorizers the same seeds, nothing is said: a comparison of algorithms does so.

    Where a script starts its processes itself, as by a pool of multiprocessing, their instances
    are a note if they began with one seed and alike, made as many steps and episodes, and in the
    first steps of the episodes 1, 2, 4, 8, 16 and so on were given the same actions and returned
    the same. A comparison that gives each process the same seed is left out: its agents act
    otherwise. Where each process waits for a message for each of its steps, as workers of a
    vectorizer of the script's own do, it is a note with other actions, too, if each of them began
    with the same seeds and alike.

    So are instances that one line makes in one process, without a vectorizer, and that are stepped
    in turn, if they began with one seed and alike: where they play alike as well, or where the same
    line gives the instances of another process a seed each.

    Seeds that are given to seed() or to a constructor are not seen.

Why it matters
    Eight workers that play the same episodes give the data of one. Nothing fails; training is up to
    eight times as slow.

How to fix it
    Give no seed in the factory. Let the vectorizer give each instance its own:

        envs = AsyncVectorEnv([make_env] * 8)
        envs.reset(seed=SEED)  # instance i gets SEED + i

    In processes of your own, let no two seeds be equal:

        env.reset(seed=SEED + rank * NUMBER + index)  # not SEED + rank * index
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from envdoctor.frameworks import profile_of
from envdoctor.model.finding import NOTE, WARNING, Finding, Location
from envdoctor.model.training import Training as Watched
from envdoctor.model.training import TrainingProcess
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.beginnings import (
    EPISODES,
    Overlap,
    begin_alike,
    busy_groups,
    differ_in_other_process,
    have_one_seed,
    in_turn,
    ordered_alike,
    overlaps,
    play_alike,
    pools,
    why_no_group,
)
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import (
    not_inside,
    of,
    training_of,
    view_of,
    watched_view,
    whose,
)
from envdoctor.rules.remedies.aims import bind_late, own_seeds, spread_seeds
from envdoctor.rules.wording.leftovers import listing


def unjudged(view: View) -> str:
    """Return the reason why seeds cannot be compared, or nothing."""
    outside = not_inside(view)
    if outside:
        return outside
    groups = [*busy_groups(training_of(view)), *pools(training_of(view))]
    if not groups:
        return why_no_group(training_of(view))
    if all(instances.seed is None for group in groups for instances in group):
        return "no instance beside others was given a whole number as its seed by reset()"
    alike = [instances for group in groups if have_one_seed(group) for instances in group]
    if not all(instances.beginning for instances in alike):
        return "what reset() returned to instances with one seed cannot be compared"
    uniform = [instances.reset.ended for instances in alike if not instances.varied]
    if uniform:
        least, most = min(uniform), max(uniform)
        episodes = f"{least:,} to {of(most, 'episode')}" if most > least else of(most, "episode")
        return (
            f"{of(len(uniform), 'instance')} with one seed began {episodes} each, at least 2 that"
            " differ are needed"
        )
    unknown = _unknown_processes(training_of(view))
    if unknown:
        return unknown
    compared = next((each for each in overlaps(training_of(view)) if each.on_purpose), None)
    if compared is not None:
        return (
            f"{len(compared.groups)} vectorizers of one process were given the same seeds, as a"
            " comparison does"
        )
    return ""


@rule(
    "TRN011",
    "equal-seeds",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=unjudged,
    counts=counted("instances with one seed", "instances"),
)
def equal_seeds(view: View) -> Iterator[Finding]:
    for group in busy_groups(training_of(view)):
        first = group[0]
        if not (have_one_seed(group) and begin_alike(group)):
            continue
        call = profile_of(first.by).seed_instances
        seeds = f": `{call}` gives each its own." if call else "."
        yield equal_seeds.finding(
            f"all {len(group)} instances of {whose(group)} began with seed {first.seed} and with"
            " the same observation: they play the same episodes",
            f"reset no instance with a seed in its factory, and let the seeds differ{seeds}",
            aim=bind_late(first.location),
            location=first.location,
            key=(first.type, first.by),
            evidence={
                "instances": len(group),
                "seed": first.seed,
                "pids": sorted({instances.pid for instances in group}),
                "vectorizer": first.by,
            },
        )
    everywhere = list(_equal_processes(training_of(view)))
    yield from map(_of_processes, everywhere)
    ordered = ordered_alike(training_of(view)) if training_of(view).over else ()
    yield from (_of_ordered(group) for group in ordered if group not in everywhere)
    if not everywhere:
        yield from _equal_in_turn(training_of(view))
    shared = (each for each in overlaps(training_of(view)) if not each.on_purpose)
    yield from map(_of_several, shared)


def _unknown_processes(training: Watched) -> str:
    """The reason why processes that begin with one seed cannot be compared, or nothing."""
    for group in pools(training):
        if not (have_one_seed(group) and begin_alike(group)):
            continue
        fewest = min(each.reset.ended for each in group)
        if fewest < EPISODES:
            return (
                f"processes with one seed began {of(fewest, 'episode')}, at least {EPISODES} are"
                " needed"
            )
        if not all(each.step_digest for each in group):
            return "the steps of processes with one seed cannot be compared"
    return ""


def _equal_processes(training: Watched) -> Iterator[list[Instances]]:
    """The instances of processes that one parent started, where they play alike."""
    for group in pools(training) if training.over else ():
        if have_one_seed(group) and begin_alike(group) and play_alike(group):
            yield group


def _of_processes(group: list[Instances]) -> Finding:
    """The finding on processes that no vectorizer started. A run may be repeated on purpose."""
    first, pids = group[0], sorted({each.pid for each in group})
    return equal_seeds.finding(
        f"all {len(group)} instances of {whose(group)} in {of(len(pids), 'process', 'processes')}"
        f" began with seed {first.seed} and were given the same actions: they play the same"
        " episodes",
        "give each process a seed of its own, for reset() and for what draws its actions: SEED +"
        " index. Where equal runs are wanted, nothing is wrong.",
        aim=own_seeds(first.location),
        severity=NOTE,
        location=first.location,
        key=(first.type, "processes"),
        evidence={"instances": len(group), "seed": first.seed, "pids": pids},
    )


def _of_ordered(group: list[Instances]) -> Finding:
    """The finding on workers of a vectorizer of the script's own, which may begin alike on
    purpose.
    """
    first, pids = group[0], sorted({each.pid for each in group})
    seeds = [f"{each.seed}" for each in group if each.pid == first.pid]
    place = first.seeded_at
    at = f", given at {short(place.file)}:{place.line}," if place is not None else ""
    return equal_seeds.finding(
        f"the instances of {whose(group)} in {of(len(pids), 'worker')} began with the same"
        f" {'seed' if len(seeds) == 1 else 'seeds'} ({listing(seeds)}){at} and with the same"
        " observations: they begin the same episodes",
        "give each worker seeds of its own: SEED + rank * NUMBER + index. Where equal starts are"
        " wanted, nothing is wrong.",
        aim=own_seeds(place or first.location),
        severity=NOTE,
        location=place or first.location,
        key=(first.type, "workers"),
        evidence={"instances": len(group), "seeds": seeds, "pids": pids},
    )


def _equal_in_turn(training: Watched) -> Iterator[Finding]:
    """The findings on instances of one process that are stepped in turn."""
    for group in in_turn(training):
        if not (have_one_seed(group) and begin_alike(group)):
            continue
        if training.over and play_alike(group):
            yield _of_turns(group, "were given the same actions: they play the same episodes")
        elif differ_in_other_process(group, training):
            yield _of_turns(group, "alike; those of another process have a seed each")


def _of_turns(group: list[Instances], how: str) -> Finding:
    """The finding on instances of one process, which may be compared on purpose."""
    first = group[0]
    return equal_seeds.finding(
        f"all {len(group)} instances of {whose(group)} in one process, which are stepped in turn,"
        f" began with seed {first.seed} and {how}",
        "give each instance a seed of its own: SEED + rank * NUMBER + index for those of several"
        " processes. (SEED + rank * index is the same for all of the first.) Where equal starts are"
        " wanted, nothing is wrong.",
        aim=own_seeds(first.location),
        severity=NOTE,
        location=first.location,
        key=(first.type, "turns"),
        evidence={"instances": len(group), "seed": first.seed, "pids": [first.pid]},
    )


def _of_several(overlap: Overlap) -> Finding:
    """The finding on vectorizers that share seeds."""
    first, seeds = overlap.groups[0][0], [f"{seed}" for seed in overlap.seeds]
    return equal_seeds.finding(
        f"{len(overlap.groups)} vectorizers of {whose(overlap.groups[0])} share"
        f" {of(len(seeds), 'seed')} ({listing(seeds)}): with those they begin alike",
        "let the seeds of vectorizers lie far apart: SEED + 1000 * index.",
        aim=spread_seeds(first.location),
        severity=NOTE,
        location=first.location,
        key=(first.type, "vectorizers"),
        evidence={
            "instances": sum(map(len, overlap.groups)),
            "vectorizers": len(overlap.groups),
            "seeds": overlap.seeds,
        },
    )


_AT = Location("/train.py", 14)


def _pool(
    *seeds: int, step_digests: tuple[int, ...] = (5, 5, 5), messages: int = 0, **known: Any
) -> View:
    """Instances that a script makes in processes of its own."""
    calls = {"step": Calls(600, 600), "reset": Calls(30, 30), "drawn": True, **known}
    instances = tuple(
        replace(each, by="", group="", step_digest=digest, **calls)
        for each, digest in zip(_example(*seeds), step_digests, strict=True)
    )
    processes = tuple(TrainingProcess(each.pid, parent=1, messages=messages) for each in instances)
    return watched_view(Watched((), pid=1, instances=instances, processes=processes))


def _example(
    *seeds: int | None, steps: int = 90, group: str = "1.1", reseeded: int = 0, beginning: int = 0
) -> tuple[Instances, ...]:
    """The instances of a vectorizer, each in a worker of its own."""
    calls = Calls(steps, steps)
    return tuple(
        Instances(
            pid,
            1,
            "arm.Arm",
            _AT,
            "gymnasium-async",
            step=calls,
            group=group,
            seed=seed,
            reseeded=reseeded,
            beginning=beginning * pid or 7 + (seed or 0),
            varied=True,
        )
        for pid, seed in enumerate(seeds, start=2)
    )


def _in_turn(*processes: tuple[int, ...], step_digest: int = 0, **known: Any) -> View:
    """Instances that a script makes in processes of its own, and steps in turn there."""
    calls = {"step": Calls(600, 600), "reset": Calls(30, 30), "drawn": True, "turns": 16}
    instances = tuple(
        replace(
            each,
            **{"pid": pid, "row": row, "by": "", "group": "", **calls, **known},
            step_digest=step_digest or pid * row,
        )
        for pid, seeds in enumerate(processes, start=2)
        for row, each in enumerate(_example(*seeds), start=1)
    )
    return watched_view(
        Watched(
            (),
            pid=1,
            instances=instances,
            processes=tuple(TrainingProcess(pid, parent=1) for pid in range(2, 2 + len(processes))),
        )
    )


EXAMPLES = (
    Example(
        "a factory that seeds",
        view_of(*_example(0, 0, 0)),
        "all 3 instances of Arm made at /train.py:14 began with seed 0 and with the same"
        " observation: they play the same episodes",
    ),
    Example("a seed of its own for each", view_of(*_example(0, 1, 2))),
    Example("no seeds", view_of(*_example(None, None, None))),
    Example(
        "runs with adjacent seeds",
        view_of(*_example(0, 1, 2), *_example(1, 2, 3, group="1.2")),
        "2 vectorizers of Arm made at /train.py:14 share 2 seeds (1, 2): with those they"
        " begin alike",
    ),
    Example(
        "two processes that give the same seeds",
        view_of(*_example(0, 1), *_example(0, 1, group="2.1")),
        "2 vectorizers of Arm made at /train.py:14 share 2 seeds (0, 1): with those they"
        " begin alike",
    ),
    Example(
        "a comparison of two algorithms", view_of(*_example(0, 1), *_example(0, 1, group="1.2"))
    ),
    Example(
        "a pool whose workers all seed with 0",
        _pool(0, 0, 0),
        "all 3 instances of Arm made at /train.py:14 in 3 processes began with seed 0 and"
        " were given the same actions: they play the same episodes",
    ),
    Example("a pool of runs with other seeds", _pool(0, 1, 2)),
    Example(
        "a seed that is a multiple of the process's number",
        _in_turn((0, 0, 0), (0, 1, 2)),
        "all 3 instances of Arm made at /train.py:14 in one process, which are stepped in"
        " turn, began with seed 0 and alike; those of another process have a seed each",
    ),
    Example(
        "instances of one process that are given the same actions",
        _in_turn((3, 3), step_digest=5),
        "all 2 instances of Arm made at /train.py:14 in one process, which are stepped in"
        " turn, began with seed 3 and were given the same actions: they play the same"
        " episodes",
    ),
    Example("a comparison of two policies", _in_turn((3, 3))),
    Example("groups of equal starts", _in_turn((3, 3), (4, 4))),
    Example("one run after the other", _in_turn((0, 0), (0, 1), turns=1)),
    Example("a start for each comparison", _in_turn((0, 0), (0, 1), reseeded=5)),
    Example(
        "workers of the script's own that are sent other actions",
        _pool(0, 0, 0, step_digests=(5, 6, 7), messages=602),
        "the instances of Arm made at /train.py:14 in 3 workers began with the same seed"
        " (0) and with the same observations: they begin the same episodes",
    ),
    Example("workers with a seed each", _pool(0, 1, 2, step_digests=(5, 6, 7), messages=602)),
    Example("a few messages", _pool(0, 0, 0, step_digests=(5, 6, 7), messages=30)),
    Example(
        "a seed for each episode of a worker",
        _pool(0, 0, 0, step_digests=(5, 6, 7), messages=602, reseeded=5),
    ),
    Example(
        "workers that play levels in turn",
        _pool(0, 0, 0, step_digests=(5, 6, 7), messages=602, drawn=False),
    ),
    Example("a comparison whose agents act otherwise", _pool(0, 0, 0, step_digests=(5, 5, 6))),
    Example("actions that are not known", _pool(0, 0, 0, step_digests=(0, 0, 0))),
    Example("a few episodes", _pool(0, 0, 0, reset=Calls(4, 4))),
    Example("levels in turn", _pool(0, 0, 0, drawn=False)),
    Example("groups of two that begin alike", view_of(*_example(0, 0, 1, 1))),
    Example("a seed for each episode", view_of(*_example(0, 0, reseeded=4))),
    Example("the worker's number decides as well", view_of(*_example(0, 0, beginning=5))),
    Example(
        "an evaluation that is seeded in the same way",
        view_of(*_example(3, 4), *_example(0, 0, steps=40, group="1.2")),
    ),
    Example(
        "an evaluation of what one instance alone learns",
        view_of(*_example(3, steps=900, group=""), *_example(0, 0)),
    ),
    Example(
        "one vectorizer for training and one for evaluation",
        view_of(*_example(0), *_example(0, group="1.2")),
    ),
)
