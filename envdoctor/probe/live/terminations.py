"""Processes of multiprocessing that another one ends by terminate() or kill(), and the line that
does so; and how any of them ended, as its parent learns.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import types
from typing import TYPE_CHECKING, Any, Optional, Set, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.journal import encoded
from envdoctor.probe.live import lost_threads
from envdoctor.probe.live.counted import passing, returning
from envdoctor.probe.ownership import Ownership, own_place

if TYPE_CHECKING:
    from multiprocessing.popen_fork import Popen

    from envdoctor.probe.live.boot import Hook

SIGNALS = {"terminate": "SIGTERM", "kill": "SIGKILL"}
ZOMBIE = b"Z"
POOL = "multiprocessing.pool"  # terminates its workers where a `with` statement ends


def follow(hook: Hook, processes: types.ModuleType) -> None:
    """Journal each process that is ended while it lives; `processes` is the module whose class has
    the methods.
    """
    kind = processes.BaseProcess
    for name, number in SIGNALS.items():
        original = loaded.own(kind, name)
        if type(original) is types.FunctionType:
            ends = functools.partial(_ending, hook, int(getattr(signal, number)))
            setattr(kind, name, passing(original, ends))


def take(hook: Hook, module: types.ModuleType) -> None:
    """Journal how each child ended that was started by a module of multiprocessing, and the threads
    that a fork leaves behind.
    """
    lost_threads.follow(hook)
    original = loaded.own(module.Popen, "poll")
    if type(original) is types.FunctionType:
        known: Set[Tuple[int, int]] = set()
        module.Popen.poll = returning(original, functools.partial(_polled, hook, known))


def _polled(hook: Hook, known: Set[Tuple[int, int]], popen: Popen, code: Optional[int]) -> None:
    """A child was asked how it ended. Nothing of ours reaches the user."""
    try:
        key = (popen.pid, id(popen))
        if code is None or key in known:
            return
        known.add(key)
        hook.write(encoded("watched", {"what": "waited", "workers": [popen.pid], "number": code}))
    except Exception as error:
        hook.complain(type(error).__name__)


def _ending(hook: Hook, number: int, process: Any) -> None:
    """A process is about to get a signal. Nothing of ours reaches the user."""
    try:
        popen = process._popen
        if popen is None or popen.returncode is not None or _is_over(popen.pid):
            return
        place = own_place(sys._getframe(1), Ownership().is_users)
        frame = place and {
            "file": os.path.abspath(place[0]),
            "line": place[1],
            "function": place[2],
        }
        keys = {"what": "terminates", "workers": [popen.pid], "number": number, "frame": frame}
        keys["by"] = POOL if loaded.module_of(loaded.caller(sys._getframe(1))) == POOL else ""
        hook.write(encoded("watched", keys))
    except Exception as error:
        hook.complain(type(error).__name__)


def _is_over(pid: int) -> bool:
    """Return whether a child has ended that was not waited for."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            return file.read().rpartition(b")")[2].split()[:1] == [ZOMBIE]
    except OSError:
        return True
