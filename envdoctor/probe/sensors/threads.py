"""Threads of this process: Python's own and, on Linux, native ones (elsewhere only Python's)."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Dict

from envdoctor.probe.sensors import Context
from envdoctor.probe.system import infrastructure, kernel

if TYPE_CHECKING:
    from threading import Thread


NAME = "threads"


def missing() -> str:
    """Python's threads can be listed everywhere."""
    return ""


def read(_context: Context) -> Dict[str, str]:
    """{thread id: name, and the function that it runs}, without the one that multiprocessing
    keeps.
    """
    threads = _everyone()
    spared = infrastructure.sharing_thread()
    if spared is not None:
        threads.pop(str(_number(spared)), None)
    return threads


def _everyone() -> Dict[str, str]:
    python = {str(_number(thread)): _text(thread) for thread in threading.enumerate()}
    if not kernel.HAS_PROC:
        return python
    folder = "/proc/%d/task/" % os.getpid()
    threads = {}
    for number in kernel.names(folder):
        name = kernel.read(folder + number + "/comm").rstrip("\n")
        if name:  # else it ended meanwhile
            threads[number] = python.get(number) or "native thread '%s'" % name
    return threads


def _number(thread: Any) -> object:
    return getattr(thread, "native_id", None) or thread.ident


def _text(thread: Thread) -> str:
    target = _target(thread)
    return "python thread '%s'%s" % (thread.name, " (target %s)" % target if target else "")


def _target(thread: Thread) -> str:
    """The function that it was given, or its class's own run(); nothing for threads that Python
    did not start.
    """
    function = getattr(thread, "_target", None)
    if function is None:
        function = type(thread).run
    module = getattr(function, "__module__", None) or type(function).__module__
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return "" if module == "threading" and name == "Thread.run" else "%s.%s" % (module, name)
