"""Processors for each of several examinations, so that none disturbs the readings of another."""

from __future__ import annotations

import os
from collections.abc import Sequence

from envdoctor.run.supervise.limits import usable_cores, usable_memory

#: An examination has a doctor and a probe that work in turns, and workers beside them. With one
#: processor, libraries start fewer threads, and rules would see less.
PROCESSORS_EACH = 2


def default_jobs() -> int:
    """Return the default number of examinations at once."""
    return max(1, usable_cores() // PROCESSORS_EACH)


def processor_sets(jobs: int) -> tuple[tuple[int, ...], ...]:
    """The processors of each examination, neighbors together; empty sets where one is all there is
    to divide, or the system cannot bind processes.
    """
    if jobs == 1 or not hasattr(os, "sched_getaffinity"):
        return ((),) * jobs
    return divided(sorted(os.sched_getaffinity(0)), jobs)


def divided(processors: Sequence[int], jobs: int) -> tuple[tuple[int, ...], ...]:
    """Processors in `jobs` sets of the same size, none of them in two sets as long as there are
    enough.
    """
    size = max(1, len(processors) // jobs)
    return tuple(
        tuple(processors[(number * size + step) % len(processors)] for step in range(size))
        for number in range(jobs)
    )


def memory_each(jobs: int) -> int:
    """Bytes for each examination; 0 where one has all."""
    return 0 if jobs == 1 else usable_memory() // jobs
