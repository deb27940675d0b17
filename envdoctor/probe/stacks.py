"""Stacks of a process that hangs or crashes, written by faulthandler even while C code holds the interpreter lock."""

from __future__ import annotations

import faulthandler
import os
from typing import Optional, TextIO

FILE = "ENVDOCTOR_STACKS"
SIGNAL = "ENVDOCTOR_STACK_SIGNAL"

_file: Optional[TextIO] = None


def arm() -> None:
    """Once per process image: crashes and the doctor's signal write stacks to the file that the doctor named.

    Forked workers inherit it; spawned ones arm themselves at their first instance. Without a named file nothing happens.
    """
    global _file
    if _file is not None or FILE not in os.environ:
        return
    try:
        _file = open(os.environ[FILE], "a")  # noqa: SIM115 - it stays open as long as the process
        faulthandler.enable(_file)
        if hasattr(faulthandler, "register"):
            faulthandler.register(int(os.environ[SIGNAL]), file=_file, all_threads=True, chain=False)
    except (OSError, ValueError, KeyError, RuntimeError):
        pass
