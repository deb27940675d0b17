"""Facts on the workers of a manager."""

from __future__ import annotations

from typing import ClassVar, Tuple

from envdoctor.model.facts.decoding import ListedFact
from envdoctor.model.fast_dataclass import dataclass


@dataclass(frozen=True)
class WorkerInMemory:
    """What one worker holds with what it started, in bytes: alone (`uss`), with its share of what
    it has in common with others (`pss`), and all of it (`rss`).
    """

    pid: int
    uss: int
    pss: int
    rss: int


@dataclass(frozen=True)
class WorkersInMemory(ListedFact):
    """What each worker held after its steps; nothing where /proc does not tell."""

    KEY: ClassVar[str] = "worker-memory"

    workers: Tuple[WorkerInMemory, ...] = ()


@dataclass(frozen=True)
class WorkerOnGpu:
    """What one worker has `used` on one GPU, and what that GPU has, in bytes."""

    pid: int
    gpu: int
    name: str
    total: int
    free: int
    used: int

    @property
    def fitting(self) -> int:
        """How many such workers the whole memory of that GPU holds."""
        return self.total // max(1, self.used)


@dataclass(frozen=True)
class WorkersOnGpus(ListedFact):
    """What each worker had on each GPU after its steps; missing without a driver."""

    KEY: ClassVar[str] = "gpu-memory"

    workers: Tuple[WorkerOnGpu, ...] = ()
