"""Processes of multiprocessing that another one ends by terminate() or kill(), and the line that
does so.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import types
from typing import Any

from envdoctor.probe import loaded
from envdoctor.probe.journal import encoded
from envdoctor.probe.live.counted import passing
from envdoctor.probe.ownership import Ownership, own_place

SIGNALS = {"terminate": "SIGTERM", "kill": "SIGKILL"}
ZOMBIE = b"Z"


def follow(hook: Any, processes: Any) -> None:
    """Journal each process that is ended while it lives; `processes` is the module whose class has
    the methods.
    """
    kind = processes.BaseProcess
    for name, number in SIGNALS.items():
        original = loaded.own(kind, name)
        if type(original) is types.FunctionType:
            ends = functools.partial(_ending, hook, int(getattr(signal, number)))
            setattr(kind, name, passing(original, ends))


def _ending(hook: Any, number: int, process: Any) -> None:
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
