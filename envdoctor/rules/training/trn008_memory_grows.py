"""The memory of a training grows, and it is not known who holds it.

What it does
    Reads Python's memory blocks and the bytes of malloc in each process of a watched training, at
    calls of the environments. The least reading of each of eight stretches after the warm-up is
    followed: where each is higher than the one before, and the rate does not fall below half,
    memory grows. What rises with the steps of one episode is not judged: a reset() may let go of
    it. RSS is not read for that. Where a container is found that holds what grows, TRN009 reports
    it instead, but not where all that grows holds plain numbers, which take less than half of it.

Why it matters
    A training that loses a little with each episode ends after a day, when the machine kills it.

How to fix it
    In a worker of a vectorizer, it is the environment or its wrappers. In the trainer's
    process, play the environment without the trainer: what grows there too is the environment's.

        envdoctor leak train.py:Arm --managers sb3-dummy

    `envdoctor watch --controls` does that by itself after the training, and compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.analysis.training_growth import MEMORY, TrainingGrowth, weight
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import ENVIRONMENT, NOTE, UNKNOWN, WARNING, Finding, Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_growth import (
    BLOCKS,
    MALLOC,
    Control,
    Kept,
    Reading,
    Series,
    TrainingHolder,
)
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.measures import grown
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import training_of, watched_view
from envdoctor.rules.evidence.training_growth import (
    HEAVY,
    NUMBERS,
    Grown,
    GrowthPlace,
    blame_of,
    growing,
    held_weight,
    not_followed,
    places,
    played_alone,
    rate,
    shadow,
)

MOST_OF_IT = 0.8  # of the rate in the training: the rest is noise of the readings

#: What `leak` measures of the same memory, and the operations of `leak` that hold such a call.
METERS = {MALLOC: ("heap",), BLOCKS: ("objects", "python")}
OPERATIONS = {"reset": ("reset", "cycle", "episode"), "step": ("step",)}
MADE = ("create", "cycle")


@dataclass(frozen=True)
class Shown:
    """The result of a control of growth: the rest of the sentence, the blame, the remedy."""

    words: str
    blame: str
    remedy: str


WITHOUT = Shown(
    "; it is not known who holds them",
    UNKNOWN,
    "play the environment without the trainer, and see whether it grows there too:",
)


def shown(training: Training, place: GrowthPlace, growth: TrainingGrowth) -> Shown:
    """Return the cause of growth in a place, by the place itself or by a control."""
    if place.side:
        return Shown("", blame_of(place.side), WITHOUT.remedy)
    control = control_of(training, place)
    if control is None:
        return WITHOUT
    if control.unknown:
        words = f"{WITHOUT.words} ({control.unknown})"
        return Shown(words, UNKNOWN, WITHOUT.remedy)
    kept = kept_in(control, growth)
    if not kept:
        return Shown(
            f"; it does not grow without the trainer, in {control.cycles} cycles",
            UNKNOWN,
            "look for what the trainer keeps: its callbacks, loggers and buffers. The environment"
            " was played without it:",
        )
    words = f"; the environment keeps {rate(kept, growth.per)}"
    if growth.meter == MALLOC and kept < MOST_OF_IT * growth.rate:
        return Shown(f"{words} of it", UNKNOWN, "mend the environment first, then watch it again:")
    return Shown(
        f"{words} without the trainer, too",
        ENVIRONMENT,
        "mend the environment; this names the line:",
    )


def control_of(training: Training, place: GrowthPlace) -> Control | None:
    """The control of what is played in a place."""
    spec, _ = played_alone(training, place) or ("", "")
    return next((control for control in training.controls if control.spec == spec), None)


def kept_in(control: Control, growth: TrainingGrowth) -> float:
    """Return how much of a growth's meter one call keeps without the trainer."""
    operations = OPERATIONS.get(growth.per, MADE)
    return sum(
        kept.rate
        for kept in control.kept
        if kept.meter in METERS.get(growth.meter, ()) and kept.operation in operations
    )


CONTAINERS = Cause.CONTAINER_GROWS
FACTOR = 2.0  # so many times what the elements take: the rest is not theirs


def _unjudged(view: View) -> str:
    return not_followed(view, MEMORY)


@rule(
    "TRN008",
    "memory-grows",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=_unjudged,
    counts=grown("memory"),
    gives_way=(CONTAINERS,),
)
def memory_grows(view: View) -> Iterator[Finding]:
    for item in growing(sorted(places(view), key=_has_holders), MEMORY):
        known = shown(training_of(view), item.place, item.growth)
        yield memory_grows.finding(
            f"{item.sentence}{known.words}",
            known.remedy,
            commands=shadow(training_of(view), item.place),
            severity=WARNING
            if weight(item.growth) >= HEAVY and not item.place.is_sent_all
            else NOTE,  # a replay memory may fill
            location=item.location,
            blame=known.blame,
            key=item.key,
            explained_by=(CONTAINERS,) if _is_held(item) else (),
            evidence=item.evidence,
        )


def _has_holders(place: GrowthPlace) -> bool:
    return bool(place.holders)


def _is_held(item: Grown) -> bool:
    """Return True if containers that get longer may hold all of it: the size of elements is known
    of plain numbers only.
    """
    holders = item.place.holders
    if any(held.element not in NUMBERS for held in holders):
        return True
    return bool(holders) and weight(item.growth) <= FACTOR * sum(map(held_weight, holders))


_AT = Location("/train.py", 14)
_CALLS = Calls(640, 640)
_ARM = Instances(2, 1, "arm.Arm", _AT, "gymnasium-async", reset=_CALLS, step=_CALLS)


_ALONE = Control("arm:Arm", 63, (Kept("heap", "reset", 1616.0),))
_RETURNS = TrainingHolder("main() returns", "list", 64, 640, 64, 640, "float")


def _example(
    per_reset: float,
    *held: TrainingHolder,
    worker: bool = True,
    own: tuple[Instances, ...] = (_ARM,),
    controls: tuple[Control, ...] = (),
) -> View:
    readings = tuple(
        Reading(t, 1, 10 * t, 100 * t, 1, 100_000, 5_000_000 + int(per_reset * 10 * t))
        for t in range(64)
    )
    processes = (TrainingProcess(1), TrainingProcess(2, 1))
    series = Series(2 if worker else 1, readings, held)
    return watched_view(
        Training((), 1, 0, 9.0, processes, own, series=(series,), controls=controls)
    )


EXAMPLES = (
    Example(
        "a library that loses memory at each reset",
        _example(1600.0),
        "bytes of malloc grow in a worker of Arm by 1,600.0 for each reset, over 420 resets",
    ),
    Example(
        "the same beside the trainer",
        _example(1600.0, worker=False),
        "bytes of malloc grow in the trainer's process by 1,600.0 for each reset, over 420"
        " resets; it is not known who holds them",
    ),
    Example(
        "a trainer that is sent all, which may be a replay memory that fills",
        _example(1600.0, worker=False, own=(replace(_ARM, pid=3),)),
        "bytes of malloc grow in the trainer's process by 1,600.0 for each reset, over 420"
        " resets; it is not known who holds them",
    ),
    Example(
        "without the trainer the environment keeps as much",
        _example(1600.0, worker=False, controls=(_ALONE,)),
        "bytes of malloc grow in the trainer's process by 1,600.0 for each reset, over 420"
        " resets; the environment keeps 1,616.0 for each reset without the trainer, too",
    ),
    Example(
        "without the trainer it keeps less",
        _example(3200.0, worker=False, controls=(_ALONE,)),
        "bytes of malloc grow in the trainer's process by 3,200.0 for each reset, over 420"
        " resets; the environment keeps 1,616.0 for each reset of it",
    ),
    Example(
        "without the trainer it keeps nothing",
        _example(1600.0, worker=False, controls=(replace(_ALONE, kept=()),)),
        "bytes of malloc grow in the trainer's process by 1,600.0 for each reset, over 420"
        " resets; it does not grow without the trainer, in 63 cycles",
    ),
    Example(
        "what it keeps could not be told",
        _example(
            1600.0, worker=False, controls=(Control("arm:Arm", unknown="it was interrupted"),)
        ),
        "bytes of malloc grow in the trainer's process by 1,600.0 for each reset, over 420"
        " resets; it is not known who holds them (it was interrupted)",
    ),
    Example(
        "a trainer below a launcher, which made an instance only to read its spaces",
        _example(1600.0, own=(replace(_ARM, reset=Calls(), step=Calls()),)),
        "bytes of malloc grow in a worker of Arm by 1,600.0 for each reset, over 420"
        " resets; it is not known who holds them",
    ),
    Example(
        "an instance of its own beside one that it inherited by fork",
        _example(1600.0, own=(Instances(2, 1, "arm.Eval", _AT, number=0), replace(_ARM, row=2))),
        "bytes of malloc grow in a worker of Arm by 1,600.0 for each reset, over 420 resets",
    ),
    Example(
        "a list of numbers, which takes much less",
        _example(1600.0, _RETURNS),
        "bytes of malloc grow in a worker of Arm by 1,600.0 for each reset, over 420 resets",
    ),
    Example("no growth", _example(0.0)),
)
