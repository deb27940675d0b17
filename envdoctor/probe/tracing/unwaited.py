"""Children whose Popen object was given up before anything had asked how they ended. Python asks
once then, which reaps a child that has ended by chance; any other is a zombie from its end on.
"""

from __future__ import annotations

import contextlib
import os
import platform
import signal
import subprocess
import threading
import time
from typing import Any, Dict, Iterator, List, Optional

from envdoctor.probe.system import family, kernel
from envdoctor.probe.system.deadline import Deadline

#: The numbers of wait4() and waitid().
_WAITS = {"x86_64": ("61", "247"), "aarch64": ("260", "95")}.get(platform.machine(), ())
_TASKS = "/proc/self/task"
_LONGEST = 1.0  # seconds for a child to end that was killed
_PAUSE = 0.002  # seconds
_KILLED, _EXITING = 1 << 8, 0x4  # SIGKILL, where it is pending; a flag of a process

_PARAMETERS = ("self", "_maxsize", "_warn")  # of the finalizer, which keeps its warning so


class UnwaitedChildren:
    """Hears of such children, while it listens, through the warning that Python gives then."""

    def __init__(self) -> None:
        self._names: Dict[int, str] = {}

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Listen meanwhile. The warning is given as ever."""
        finalizer: Any = getattr(subprocess.Popen, "__del__", None)
        code = getattr(finalizer, "__code__", None)
        if code is None or code.co_varnames[: code.co_argcount] != _PARAMETERS:
            yield
            return
        before = finalizer.__defaults__
        own_warn = before[-1]

        def warn(
            message: object, category: object, source: Optional[subprocess.Popen[bytes]] = None
        ) -> None:
            with contextlib.suppress(Exception):  # no error of ours is one of a finalizer
                if source is not None and _is_forgotten(source.pid):
                    self._names[source.pid] = family.name_of(source.pid)
                    _let_end(source.pid)
            own_warn(message, category, stacklevel=2, source=source)

        listener = (before[0], warn)
        finalizer.__defaults__ = listener
        try:
            yield
        finally:
            if finalizer.__defaults__ is listener:
                finalizer.__defaults__ = before

    def pop(self) -> List[Dict[str, object]]:
        """Those of a life, without those that a line of the environment's waited for later."""
        names, self._names = self._names, {}
        # Python has those that it could not reap here, until the next Popen is made.
        kept = {child.pid for child in getattr(subprocess, "_active", None) or ()}
        return [
            {"child": pid, "name": name}
            for pid, name in names.items()
            if pid not in kept or _is_unwaited(pid)
        ]


def _is_forgotten(pid: int) -> bool:
    """Return whether nothing waited for a child, and neither a handler nor a thread may do so."""
    return (
        signal.getsignal(signal.SIGCHLD) is signal.SIG_DFL
        and (threading.active_count() == 1 or not _may_be_awaited())
        and _is_unwaited(pid)
    )


def _may_be_awaited() -> bool:
    """Return whether another thread may wait for a child: it is in such a call, or something has a
    descriptor of a process. True where the kernel does not say so.
    """
    if not kernel.HAS_PROC or not _WAITS:
        return True
    threads = {*kernel.names(_TASKS)} - {str(threading.get_native_id())}
    calls = {each: kernel.read("%s/%s/syscall" % (_TASKS, each)).split() for each in threads}
    there = {*kernel.names(_TASKS)}  # one that has ended since waits for nothing
    awaits = any(each in there for each, call in calls.items() if not call or call[0] in _WAITS)
    return awaits or "anon_inode:[pidfd]" in kernel.descriptors(os.getpid()).values()


def _let_end(pid: int) -> None:
    """Wait for the end of a child that was killed a moment ago. Python asks for it next: without
    this, it is chance whether it reaps the child, and closes its pipes, or keeps both.
    """
    waiting = Deadline(_LONGEST)
    while _is_ending(pid) and not waiting.ends_within(_PAUSE):
        time.sleep(_PAUSE)


def _is_ending(pid: int) -> bool:
    stat = kernel.read("/proc/%d/stat" % pid).rpartition(")")[2].split()
    if len(stat) < 7 or stat[0] in ("Z", "X"):
        return False
    pending = [
        int(line.split()[1], 16)
        for line in kernel.read("/proc/%d/status" % pid).splitlines()
        if line.startswith(("SigPnd:", "ShdPnd:"))
    ]
    return bool(int(stat[6]) & _EXITING) or any(mask & _KILLED for mask in pending)


def _is_unwaited(pid: int) -> bool:
    """Return whether the kernel still has a child of this process to be waited for. It stays so."""
    try:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
