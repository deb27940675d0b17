"""Callbacks of RLlib, and of Tune, whose trials run in processes of their own."""

from __future__ import annotations

from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.tune import Callback

from envdoctor.callbacks import EVERY, LatestFigures

__all__ = ["FiguresInResult", "FiguresInTrial"]


class FiguresInResult(RLlibCallback):  # type: ignore[misc]
    """Puts the figures of `envdoctor.watching()` into the result of each iteration of an algorithm
    that was built in the process that is watched. They are at most `every` seconds old. RLlib
    makes the instance: a class below this one may have another `every`.
    """

    every = EVERY

    def __init__(self) -> None:
        super().__init__()
        self._figures = LatestFigures(self.every)

    def on_train_result(self, *, result: dict[str, object], **_others: object) -> None:
        """Add the figures to a result."""
        result.update(self._figures.latest())


class FiguresInTrial(Callback):  # type: ignore[misc]
    """Puts the figures of `envdoctor.watching()` around `Tuner.fit()` into each result of a trial,
    before the loggers of Tune write it. They are those of all trials, and at most `every` seconds
    old.
    """

    def __init__(self, every: float = EVERY) -> None:
        self._figures = LatestFigures(every)

    def on_trial_result(self, *, result: dict[str, object], **_others: object) -> None:
        """Add the figures to a result."""
        result.update(self._figures.latest())
