"""Shared memory of this machine, and which of it no process holds any more; Linux only."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

SHARED = Path("/dev/shm")


def names() -> frozenset[str]:
    """Names in /dev/shm, and System V segments as `sysv ID`."""
    return frozenset({**files(), **segments()})


def forgotten(before: frozenset[str]) -> frozenset[str]:
    """Return the shared memory that came since, and that no process has mapped. Other programs make
    some, too, and hold it.

    It is known by its inode: a semaphore was made under another name than it has, and that is the
    name which the kernel shows.
    """
    new = {name: inode for name, inode in {**files(), **segments()}.items() if name not in before}
    held = mapped() if new else set()
    return frozenset(name for name, inode in new.items() if inode not in held)


def files() -> dict[str, str]:
    """{name: inode} in /dev/shm."""
    with os.scandir(SHARED) as entries:
        return {entry.name: str(entry.inode()) for entry in entries}


def segments() -> dict[str, str]:
    """{`sysv ID`: what stands for its inode where it is mapped, the same id}."""
    rows = Path("/proc/sysvipc/shm").read_text().splitlines()[1:]
    return {f"sysv {row.split()[1]}": row.split()[1] for row in rows}


def mapped() -> set[str]:
    """The inodes of shared memory that any process has mapped."""
    inodes = set()
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with suppress(OSError):  # it ended, or is not ours to read
            rows = [line.split(maxsplit=5) for line in maps.read_text().splitlines()]
            inodes |= {
                row[4] for row in rows if row[5:] and row[5].startswith((f"{SHARED}/", "/SYSV"))
            }
    return inodes
