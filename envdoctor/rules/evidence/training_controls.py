"""Growth in a trainer's process, and what its environments keep without the trainer."""

from __future__ import annotations

from envdoctor.analysis.training_growth import TrainingGrowth
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import ENVIRONMENT, UNKNOWN
from envdoctor.model.training import Training
from envdoctor.model.training_growth import BLOCKS, MALLOC, Control
from envdoctor.rules.evidence.training_growth import GrowthPlace, blame_of, played_alone, rate

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
