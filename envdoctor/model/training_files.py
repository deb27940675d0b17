"""Files into which a training writes through several openings at once."""

from __future__ import annotations

from typing import Tuple

from envdoctor.model.fast_dataclass import dataclass


@dataclass(frozen=True)
class WrittenFile:
    """A file that was open for writing several times at once: the number of its `openings` when
    there were most, and the processes that had them.
    """

    path: str
    openings: int
    pids: Tuple[int, ...] = ()
