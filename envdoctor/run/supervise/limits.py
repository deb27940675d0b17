"""The limits of a probe's time and memory."""

from __future__ import annotations

import os
from dataclasses import field

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.run.supervise import _cgroup
from envdoctor.run.supervise.machine import machine

SHARE_OF_MEMORY = 0.8  # of what is available when the session begins


def usable_memory() -> int:
    """Bytes that a run may take here: most of what the machine, or the control group, still has."""
    return int(machine.available_memory() * SHARE_OF_MEMORY)


def usable_cores() -> int:
    """The cores that this process may use; of the control group, no more than its share."""
    allowed = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return max(1, min(allowed, int(_cgroup.cores() or allowed)))


@dataclass(frozen=True)
class Limits:
    """Seconds and bytes. The grace times are short on purpose: they are paid in full only by
    the sick.
    """

    timeout: float = 30.0
    """Seconds that one verb may take."""
    imports: float = 30.0
    """Least seconds for what imports, as long as it works: a big framework takes what it takes."""
    launch: float = 0.0
    """Seconds that start-up and `make` may take on top of it: a framework may import slowly."""
    memory: int = field(default_factory=usable_memory)
    """Bytes that the probe and everything below it may hold together."""
    room: int = field(default_factory=usable_memory)
    """Bytes available for workers, with or without a ceiling."""
    cores: int = field(default_factory=usable_cores)
    """How many processes can run at the same time."""
    pause: float = 30.0
    """Least seconds allowed where no verb is running: start-up, and readings between verbs."""
    drop: float = 5.0
    """Seconds that `drop` may take on top of `timeout`: threads and processes may end late."""
    stacks: float = 1.0
    """Seconds to collect the stacks of a hung probe and its workers."""
    farewell: float = 1.0
    """Seconds for a dirty probe to exit by itself, before what it left is listed."""
    settle: float = 1.0
    """Seconds for the descendants of a dead probe to notice and go."""
