"""Facts on the workers of a manager."""

from __future__ import annotations

from typing import ClassVar, Tuple

from envdoctor.model.facts.decoding import ListedFact
from envdoctor.model.fast_dataclass import dataclass


@dataclass(frozen=True)
class WorkerInMemory:
    """The memory of one worker with its descendants, in bytes: alone (`uss`), with its share of
    common pages (`pss`), and all of it (`rss`).
    """

    pid: int
    uss: int
    pss: int
    rss: int


@dataclass(frozen=True)
class WorkersInMemory(ListedFact):
    """Each worker's memory after its steps; empty where /proc cannot be read."""

    KEY: ClassVar[str] = "worker-memory"

    workers: Tuple[WorkerInMemory, ...] = ()


@dataclass(frozen=True)
class WorkerOnGpu:
    """The memory that one worker has `used` on one GPU, and the GPU's own, in bytes."""

    pid: int
    gpu: int
    name: str
    total: int
    free: int
    used: int

    @property
    def fitting(self) -> int:
        """The number of such workers that fit into the memory of that GPU."""
        return self.total // max(1, self.used)


@dataclass(frozen=True)
class WorkersOnGpus(ListedFact):
    """Each worker's GPU memory after its steps; missing without a driver."""

    KEY: ClassVar[str] = "gpu-memory"

    workers: Tuple[WorkerOnGpu, ...] = ()
