"""The controls of a training: its environments without their trainer."""

from __future__ import annotations

from typing import Tuple

from envdoctor.model.fast_dataclass import dataclass


@dataclass(frozen=True)
class Kept:
    """Steady growth of a meter of `leak`: `rate` bytes or objects for each call of an operation."""

    meter: str
    operation: str
    rate: float


@dataclass(frozen=True)
class Control:
    """An environment of a training, played by `leak` without the trainer and its vectorizer: what
    it `kept`, for how many `cycles` it was followed; why that is not known, or nothing.
    """

    spec: str
    cycles: int = 0
    kept: Tuple[Kept, ...] = ()
    unknown: str = ""
