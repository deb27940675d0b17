"""Shared memory that this process or a descendant made or used, never other people's."""

from __future__ import annotations

import os
import re
from array import array
from typing import Dict, FrozenSet, List, Optional, Set, Tuple

from envdoctor.probe.sensors import Context
from envdoctor.probe.system import family, kernel

NAME = "shared-memory"

FOLDER = "/dev/shm/"  # noqa: S108

#: The inode tells which it is: a semaphore is mapped by the temporary name that it was made under.
_MAPPED = re.compile(r" (\d+) +/dev/shm/.+$", re.MULTILINE)

# Names that were made here: as hashes, in room that is there before, because memory that grows is
# what others look for.
ROOM = 4096

_Known = Tuple[str, int]  # name and inode: names are used again


class _Memory:
    """Pieces of memory that earlier readings saw."""

    def __init__(self) -> None:
        # There at the first reading: nothing that the subject could leave behind. It never
        # shrinks: other people's pieces go at any moment, and would be missing from the readings
        # of memory. No later piece has both the name and the inode of an earlier one.
        self.earlier: Optional[FrozenSet[_Known]] = None
        # Seen mapped or open; who did so may be gone by the next reading.
        self.ours: Set[_Known] = set()
        self.segments: Set[str] = set()  # System V ids whose creator was seen to be one of us


_memory = _Memory()
_claimed, _claims = array("q", [0]) * ROOM, array("q", [0])


def missing() -> str:
    """Return why shared memory cannot be listed here, or ""."""
    return "" if kernel.HAS_PROC and os.path.isdir(FOLDER) else "needs Linux's /proc and /dev/shm"


def read(context: Context) -> Dict[str, str]:
    """{path or System V id: size}."""
    return {**_posix(context), **_system_v(context)}


def _posix(context: Context) -> Dict[str, str]:
    now = present()
    if _memory.earlier is None:
        _memory.earlier = frozenset(now)
        warm(context)
    earlier, ours = _memory.earlier, _memory.ours
    ours.intersection_update(now)
    fresh = [known for known in now if known not in earlier and known not in ours]
    # Maps are long (a thousand lines with torch): they are read only while something new lies
    # there.
    if fresh:
        ours.update(own(fresh, context))
    return {FOLDER + known[0]: "%d bytes" % now[known] for known in ours}


def claim(name: str) -> None:
    """Report a piece that this process made, from here on, whether or not it is mapped at a
    reading.
    """
    _claimed[_claims[0] % ROOM] = hash(name)
    _claims[0] += 1


def own(fresh: List[_Known], context: Context) -> List[_Known]:
    """Those that this process made, or that it or a descendant has mapped or open."""
    mapped, opened = used(context) if fresh else (set(), set())
    return [
        known
        for known in fresh
        if known[1] in mapped or known[0] in opened or hash(known[0]) in _claimed
    ]


def warm(context: Context) -> None:
    """Look at pieces once although none may lie there. What that takes the first time would else
    be taken when another program makes one, in the middle of a reading of memory.
    """
    own(list(present(context.home)), context)


def present(folder: str = FOLDER) -> Dict[_Known, int]:
    """Everybody's named memory: {(name, inode): bytes}."""
    sizes = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    sizes[entry.name, entry.inode()] = entry.stat(follow_symlinks=False).st_size
                except OSError:
                    continue
    except OSError:
        pass
    return sizes


def used(context: Context) -> Tuple[Set[int], Set[str]]:
    """Return what this process or a descendant has mapped, by inode, and has open, by name."""
    mapped: Set[int] = set()
    opened: Set[str] = set()
    for pid in _pids(context):
        mapped.update(map(int, _MAPPED.findall(kernel.read("/proc/%d/maps" % pid))))
        opened.update(
            target[len(FOLDER) :]
            for target in kernel.descriptors(pid).values()
            if target.startswith(FOLDER)
        )
    return mapped, opened


def _system_v(context: Context) -> Dict[str, str]:
    """Columns: key, id, permissions, size, creator's pid, ..."""
    rows = [line.split() for line in kernel.read("/proc/sysvipc/shm").splitlines()[1:]]
    if not rows:
        return {}
    pids = {str(pid) for pid in _pids(context)}
    _memory.segments.intersection_update(row[1] for row in rows)
    _memory.segments.update(row[1] for row in rows if row[4] in pids)
    return {"sysv " + row[1]: "%s bytes" % row[3] for row in rows if row[1] in _memory.segments}


def _pids(context: Context) -> List[int]:
    return [os.getpid()] + [process.pid for process in family.family(context.guard)]
