"""Open file descriptors of this process."""

from __future__ import annotations

import os
import stat
from typing import Dict

from envdoctor.probe.sensors import Context
from envdoctor.probe.system import infrastructure, kernel, sockets

NAME = "descriptors"

_FOLDER = "/dev/fd"  # macOS and the BSDs
_GET_PATH = 50  # macOS: fcntl's F_GETPATH


def missing() -> str:
    """Return why descriptors cannot be listed here, or ""."""
    return "" if kernel.HAS_PROC or os.path.isdir(_FOLDER) else "needs /proc or /dev/fd"


def read(_context: Context) -> Dict[str, str]:
    """{number: path, pipe or socket}."""
    targets = kernel.descriptors(os.getpid()) if kernel.HAS_PROC else _listed()
    for number in infrastructure.descriptors():
        targets.pop(number, None)
    targets = {
        number: target for number, target in targets.items() if not infrastructure.is_arena(target)
    }
    inodes = {sockets.inode_of(target) for target in targets.values()} - {""}
    known = sockets.described(inodes) if inodes else {}
    return {
        number: known.get(sockets.inode_of(target), _stable(target))
        for number, target in targets.items()
    }


def _stable(target: str) -> str:
    """Deleting a file that is open changes its text, which is not a new descriptor."""
    return target[: -len(" (deleted)")] if target.endswith(" (deleted)") else target


def _listed() -> Dict[str, str]:
    """Without /proc. The descriptor that lists the folder is closed again before it is asked
    what it is.
    """
    targets = {}
    for number in os.listdir(_FOLDER):
        try:
            targets[number] = _what(int(number))
        except (OSError, ValueError):
            continue
    return targets


def _what(number: int) -> str:
    import fcntl

    mode = os.fstat(number).st_mode
    if stat.S_ISSOCK(mode):
        return "socket"
    if stat.S_ISFIFO(mode):
        return "pipe"
    try:
        return os.fsdecode(fcntl.fcntl(number, _GET_PATH, bytes(1024)).split(b"\0")[0])
    except OSError:
        return "descriptor"
