"""What multiprocessing takes once per process and keeps until its end: nobody's leftover."""

from __future__ import annotations

import os
import re
import sys
from typing import Any, Set


def descriptors() -> Set[str]:
    """Numbers of the pipes to the resource tracker and to the fork server."""
    numbers = (
        _private("multiprocessing.resource_tracker", "_resource_tracker", "_fd"),
        _private("multiprocessing.forkserver", "_forkserver", "_forkserver_alive_fd"),
    )
    return {str(number) for number in numbers if isinstance(number, int)}


def is_arena(target: str) -> bool:
    """Whether a descriptor's target is memory of multiprocessing's shared heap, which keeps what was freed for the next one."""
    return re.match(r"(/dev/shm|.*/pymp-\w+)/pym-\d+-", target) is not None


def paths() -> Set[str]:
    """The folder that multiprocessing makes for its sockets, and the fork server's socket in it."""
    found = {_private("multiprocessing.forkserver", "_forkserver", "_forkserver_address")}
    process = _private("multiprocessing.process", "_current_process", "_config")
    found.add(process.get("tempdir") if isinstance(process, dict) else None)
    return {os.path.realpath(path) for path in found if isinstance(path, str) and not path.startswith("\0")}


def _private(module: str, name: str, attribute: str) -> Any:
    """An attribute of a module's object, without importing what the subject has not imported. None when it is not there."""
    return getattr(getattr(sys.modules.get(module), name, None), attribute, None)
