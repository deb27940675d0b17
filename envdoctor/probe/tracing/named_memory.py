"""Notes each piece of shared memory that Python code makes, when it makes it.

A name in /dev/shm does not tell who made it. The sensor sees what is mapped when it looks; what an
environment unmaps and forgets to unlink within one verb, in every cycle of a leak check, would stay
on the machine for good, and untold.
"""

from __future__ import annotations

import os
from typing import Callable, List

from envdoctor.probe.journal import Journal
from envdoctor.probe.sensors import shared_memory

_journal: List[Journal] = []  # one at most: that of the scenario which is being played


def is_noting() -> bool:
    """Return whether this process does so already."""
    return bool(_journal)


def note(journal: Journal) -> None:
    """Journal, from here on, the name of each piece that this process or a fork of it makes,
    and tell the sensor.
    """
    try:
        import _posixshmem
    except ImportError:
        return
    if not _journal:
        _posixshmem.shm_open = _noted(_posixshmem.shm_open)
    _journal[:] = [journal]


def _noted(shm_open: Callable[..., int]) -> object:
    def noted(path: str, flags: int, mode: int = 0o777) -> int:
        descriptor: int = shm_open(path, flags, mode)
        if flags & os.O_CREAT:
            name = path.lstrip("/")
            _journal[0].write(
                "fact", key="shared-memory", value={shared_memory.FOLDER + name: "made"}
            )
            shared_memory.claim(name)
        return descriptor

    return noted
