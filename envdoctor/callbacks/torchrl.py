"""A hook of TorchRL's Trainer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchrl.trainers.trainers import TrainerHookBase

from envdoctor.callbacks import EVERY, LatestFigures

if TYPE_CHECKING:
    from torchrl.trainers import Trainer

__all__ = ["LogFigures"]


class LogFigures(TrainerHookBase):  # type: ignore[misc]
    """Logs the figures of `envdoctor.watching()` after the optimization steps of each batch, by the
    logger of the trainer, and as often as it logs. They are at most `every` seconds old.
    """

    def __init__(self, every: float = EVERY) -> None:
        self._figures = LatestFigures(every)

    def __call__(self, _batch: object = None) -> dict[str, float]:
        """Return the figures by their names in the logger."""
        return self._figures.latest()

    def register(self, trainer: Trainer) -> None:
        """Register it with a trainer, but not as a module: a checkpoint has nothing of it."""
        trainer.register_op("post_steps_log", self)
