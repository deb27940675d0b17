"""A callback of Stable-Baselines3."""

from __future__ import annotations

from stable_baselines3.common.callbacks import BaseCallback

from envdoctor.callbacks import EVERY, LatestFigures

__all__ = ["FiguresCallback"]


class FiguresCallback(BaseCallback):  # type: ignore[misc]
    """Records the figures of `envdoctor.watching()` at the end of each rollout, in the logger of
    the model. They are at most `every` seconds old.
    """

    def __init__(self, every: float = EVERY, verbose: int = 0) -> None:
        super().__init__(verbose)
        self._figures = LatestFigures(every)

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        for name, number in self._figures.latest().items():
            self.logger.record(name, number)
