"""Unraisable exceptions: those of finalizers, callbacks of weak references, and threads.
Python prints them, and goes on.
"""

from __future__ import annotations

import sys
import threading
from typing import Callable, List

from envdoctor.probe.errors import error_value
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership

_restore: List[Callable[[], None]] = []


def listen(journal: Journal, ownership: Ownership) -> None:
    """Journal such errors, and let earlier listeners go on hearing them. A later call
    changes the journal.
    """
    stop()
    before, before_thread = sys.unraisablehook, threading.excepthook

    def unraisable(report: sys.UnraisableHookArgs) -> None:
        if report.exc_value is not None:
            journal.write(
                "unraisable",
                what="finalizer",
                where=_name_of(report.object),
                error=error_value(report.exc_value, ownership),
            )
        before(report)

    def in_thread(report: threading.ExceptHookArgs) -> None:
        if report.exc_value is not None and not issubclass(report.exc_type, SystemExit):
            name = report.thread.name if report.thread is not None else ""
            journal.write(
                "unraisable",
                what="thread",
                where=name,
                error=error_value(report.exc_value, ownership),
            )
        before_thread(report)

    def restore() -> None:
        if sys.unraisablehook is unraisable:
            sys.unraisablehook = before
        if threading.excepthook is in_thread:
            threading.excepthook = before_thread

    sys.unraisablehook, threading.excepthook = unraisable, in_thread
    _restore.append(restore)


def stop() -> None:
    """Stop listening, unless another listener listens through us."""
    while _restore:
        _restore.pop()()


def _name_of(thing: object) -> str:
    """`Arm.__del__` for the function of that name. Asked of functions only: anything else may
    answer with its own code.
    """
    if type(thing).__name__ in ("function", "method", "builtin_function_or_method"):
        return str(getattr(thing, "__qualname__", ""))
    return type(thing).__qualname__
