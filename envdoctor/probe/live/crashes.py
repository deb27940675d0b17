"""The stacks of a watched process that crashes: faulthandler writes them to a file of the run, one
for each process, where nothing else has switched it on.
"""

from __future__ import annotations

import faulthandler
import fcntl
import functools
import os
from typing import TYPE_CHECKING, List, Tuple

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

FIRST = 100  # descriptors below this are what scripts count on, and close
FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC


def follow(hook: Hook) -> None:
    """Have the stacks of this process written, and those of its forked children."""
    if faulthandler.is_enabled():
        return
    try:
        first = os.open(_path(hook), FLAGS, 0o600)
        try:
            number = fcntl.fcntl(first, fcntl.F_DUPFD_CLOEXEC, FIRST)
        finally:
            os.close(first)
    except OSError:  # so many descriptors are not allowed, or the disk is full
        return
    faulthandler.enable(file=number, all_threads=True)
    hook.after_fork.append(functools.partial(_renew, hook, number, [_identity(number)]))


def _path(hook: Hook) -> str:
    return os.path.join(hook.folder, "%d.stacks" % os.getpid())


def _identity(number: int) -> Tuple[int, int]:
    status = os.fstat(number)
    return status.st_dev, status.st_ino


def _renew(hook: Hook, number: int, known: List[Tuple[int, int]]) -> None:
    """In a forked child: let the descriptor lead to a file of its own. Where a script has closed
    it, it may be another thing by now.
    """
    try:
        if _identity(number) != known[0]:
            return
        fresh = os.open(_path(hook), FLAGS, 0o600)
        os.dup2(fresh, number, inheritable=False)
        os.close(fresh)
        known[0] = _identity(number)
    except OSError:
        return
