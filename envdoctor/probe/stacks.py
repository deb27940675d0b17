"""Stacks of a process that hangs or crashes, written by faulthandler even while C code holds
the interpreter lock.
"""

from __future__ import annotations

import faulthandler
import os
from typing import List, TextIO

FILE = "ENVDOCTOR_STACKS"
SIGNAL = "ENVDOCTOR_STACK_SIGNAL"

_opened: List[TextIO] = []  # one at most; it stays open as long as the process


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
        if hasattr(faulthandler, "register"):
            faulthandler.register(
                int(os.environ[SIGNAL]), file=_opened[0], all_threads=True, chain=False
            )
    except (OSError, ValueError, KeyError, RuntimeError):
        pass


def descriptors() -> List[int]:
    """The descriptor of the file that stacks go to, where there is one."""
    return [file.fileno() for file in _opened]


def arm_again() -> None:
    """Once in a child that was forked: its stacks go to the file that its own variable names."""
    if not _opened or FILE not in os.environ:
        return
    number = os.open(os.environ[FILE], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    os.dup2(number, _opened[0].fileno(), inheritable=False)
    os.close(number)
