"""What is known of each manager: how many instances it builds, and in which processes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Construction:
    """The constructor calls of one launch: `hidden` extra instances in the parent, built only to read the spaces, and
    one instance a worker, in the parent itself when the manager is `in_process`.
    """

    hidden: int
    in_process: bool

    def in_parent(self, workers: int) -> int:
        """How many instances one launch with that many workers builds in the parent."""
        return self.hidden + (workers if self.in_process else 0)

    def in_workers(self, workers: int) -> int:
        """How many instances one launch with that many workers builds in all worker processes together."""
        return 0 if self.in_process else workers


#: By manager. One that is not listed has not been measured, and nothing is judged by it.
CONSTRUCTIONS = {
    "gymnasium-sync": Construction(hidden=0, in_process=True),
    "gymnasium-async": Construction(hidden=1, in_process=False),
}
