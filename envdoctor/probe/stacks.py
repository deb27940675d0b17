"""Stacks of a process that hangs or crashes, written by faulthandler even while C code holds
the interpreter lock; and of one that calls os._exit().
"""

from __future__ import annotations

import faulthandler
import functools
import os
import sys
from typing import Callable, List, NoReturn, TextIO

from envdoctor.probe import loaded

FILE = "ENVDOCTOR_STACKS"
SIGNAL = "ENVDOCTOR_STACK_SIGNAL"

OURS = "envdoctor."

_opened: List[TextIO] = []  # one at most; it stays open as long as the process
_armed: List[int] = []  # processes that have a file of their own


def arm() -> None:
    """Once per process image: crashes and the doctor's signal write stacks to the file that the
    doctor named.

    Forked workers inherit it; spawned ones arm themselves at their first instance. Without a named
    file nothing happens.
    """
    if _opened or FILE not in os.environ:
        return
    try:
        _opened.append(open(os.environ[FILE], "a"))  # noqa: SIM115
        faulthandler.enable(_opened[0])
        _armed.append(os.getpid())
        os._exit = _telling(os._exit)  # type: ignore[assignment]
        if hasattr(faulthandler, "register"):
            faulthandler.register(
                int(os.environ[SIGNAL]), file=_opened[0], all_threads=True, chain=False
            )
    except (OSError, ValueError, KeyError, RuntimeError):
        pass


def _telling(ends: Callable[[int], NoReturn]) -> Callable[[int], NoReturn]:
    """An os._exit() that writes the stacks before it ends a process with a file of its own. A child
    that the environment forks would write into the file of its parent.
    """

    @functools.wraps(ends)
    def _exit(status: int) -> NoReturn:
        if os.getpid() in _armed and not loaded.module_of(sys._getframe(1)).startswith(OURS):
            faulthandler.dump_traceback(_opened[0])
        ends(status)

    return _exit


def descriptors() -> List[int]:
    """The descriptor of the file that stacks go to, where there is one."""
    return [file.fileno() for file in _opened]


def arm_again() -> None:
    """Once in a child that was forked: its stacks go to the file that its own variable names."""
    if not _opened or FILE not in os.environ:
        return
    number = os.open(os.environ[FILE], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    _armed.append(os.getpid())
    os.dup2(number, _opened[0].fileno(), inheritable=False)
    os.close(number)
