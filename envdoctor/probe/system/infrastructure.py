"""Resources that multiprocessing takes once per process and keeps until its end: not leftovers."""

from __future__ import annotations

import os
import re
import sys
from typing import Set

FOLDER = "tempdir"  # where multiprocessing keeps the folder of its sockets


def descriptors() -> Set[str]:
    """Numbers of the pipes to the resource tracker and to the fork server, and of the socket at
    which descriptors are asked for.
    """
    numbers = (
        _private("multiprocessing.resource_tracker", "_resource_tracker", "_fd"),
        _private("multiprocessing.forkserver", "_forkserver", "_forkserver_alive_fd"),
        _sharing_socket(),
    )
    return {str(number) for number in numbers if isinstance(number, int)}


def is_arena(target: str) -> bool:
    """Return whether a descriptor's target is memory of multiprocessing's shared heap, which keeps
    what was freed for the next one.
    """
    return re.match(r"(/dev/shm|.*/pymp-\w+)/pym-\d+-", target) is not None


def paths() -> Set[str]:
    """The folder that multiprocessing makes for its sockets, and those in it: of the fork server,
    and of the thread that hands out descriptors.
    """
    candidates = {
        _private("multiprocessing.forkserver", "_forkserver", "_forkserver_address"),
        _sharer("_address"),
    }
    process = _private("multiprocessing.process", "_current_process", "_config")
    candidates.add(process.get(FOLDER) if isinstance(process, dict) else None)
    return {
        os.path.realpath(path)
        for path in candidates
        if isinstance(path, str) and not path.startswith("\0")
    }


def sharing_thread() -> object:
    """The thread that hands out descriptors to other processes, from the first one on
    (PyTorch's tensors travel so); None before.
    """
    return _sharer("_thread")


def _sharing_socket() -> object:
    # None on Windows, where it is a pipe.
    listening = getattr(getattr(_sharer("_listener"), "_listener", None), "_socket", None)
    return None if listening is None else listening.fileno()


def _sharer(attribute: str) -> object:
    return _private("multiprocessing.resource_sharer", "_resource_sharer", attribute)


def _private(module: str, name: str, attribute: str) -> object:
    """An attribute of a module's object, without importing what the subject has not imported.
    None when it is not there.
    """
    return getattr(getattr(sys.modules.get(module), name, None), attribute, None)
