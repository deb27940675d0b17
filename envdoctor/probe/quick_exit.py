"""The exit of a forked probe that has nothing open any more.

Python frees each module at its exit, and libraries in C what they made when they were loaded. In a
fork both write to memory that is shared until then: with PyTorch, to free it takes longer than to
play. Threads are joined and handlers of atexit called as in any other process. Only then, where
nothing is open that a finalizer could close, the process ends at once.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
from typing import TYPE_CHECKING, Dict, Optional

if TYPE_CHECKING:  # who makes one must not have imported what has handlers of its own
    from envdoctor.probe.sensors import Reading, Sensors

#: What others see of what a finalizer closes: a file that it writes or deletes, a connection that
#: it ends, a process that it waits for.
WATCHED = ("descriptors", "files", "processes", "shared-memory")


class QuickExit:
    """A handler of atexit: the last one that is called, where it was registered before any other.
    It does nothing in a process that did not `begin`, nor until it is `expected`.
    """

    def __init__(self) -> None:
        self._pid = 0
        self._sensors: Optional[Sensors] = None
        self._before: Dict[str, Reading] = {}
        self._expected = False
        atexit.register(self._leave)

    def begin(self, sensors: Sensors) -> None:
        """Remember what is open in this process before its first scenario."""
        self._pid, self._sensors = os.getpid(), sensors
        self._before = sensors.read_all(WATCHED)

    def expect(self, expected: bool) -> None:
        """Say whether this process may leave so. What an instance does at Python's exit is seen in
        an ordinary one.
        """
        self._expected = expected

    def _leave(self) -> None:
        if not self._expected or os.getpid() != self._pid:
            return
        try:
            if self._has_something():
                return
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            ctypes.CDLL(None).fflush(None)
        except Exception:  # the environment has replaced something: Python says what is wrong
            return
        os._exit(0)

    def _has_something(self) -> bool:
        from envdoctor.probe.system import container_calls

        now = self._sensors.read_all(WATCHED) if self._sensors else {}
        return len(now) < len(WATCHED) or now != self._before or container_calls.is_followed()
