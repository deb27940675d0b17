"""Handlers of signals. A side effect: the handlers belong to the program, not to an environment."""

from __future__ import annotations

import os
import signal
from typing import Dict, Set

from envdoctor.probe.sensors import Context
from envdoctor.probe.system import kernel, signal_handlers

NAME = "signals"
OF_PROCESS = True

# Asked once: it makes an enumeration member of each.
_SIGNALS = tuple(sorted(signal.valid_signals()))

# Ever seen with a handler: told as `default` once it is gone, others are not told at all.
_handled: Set[str] = set()


def missing() -> str:
    """Handlers can be listed everywhere."""
    return ""


def read(_context: Context) -> Dict[str, str]:
    """{signal: handler}."""
    caught = _caught_natively()
    handlers = {}
    for number in _SIGNALS:
        text = _text(number, caught)
        name = getattr(number, "name", "signal %d" % number)
        if text != "default":
            _handled.add(name)
        if name in _handled:
            handlers[name] = text
    return handlers


def _text(number: int, caught: int) -> str:
    handler: object = signal.getsignal(number)
    if handler is signal.SIG_IGN:
        return "ignored"
    if handler is None or handler is signal.SIG_DFL:
        return signal_handlers.NATIVE if caught >> (number - 1) & 1 else "default"
    replaced = signal_handlers.replaced_by(number)
    if replaced:
        return replaced
    module = getattr(handler, "__module__", None) or type(handler).__module__
    return "%s.%s" % (module, getattr(handler, "__qualname__", None) or type(handler).__qualname__)


def _caught_natively() -> int:
    """The kernel's mask of caught signals: SDL and faulthandler set theirs behind Python's
    back. 0 where it is not told.
    """
    text = kernel.read("/proc/%d/status" % os.getpid()) if kernel.HAS_PROC else ""
    mask = text.partition("SigCgt:")[2].split(None, 1)
    return int(mask[0], 16) if mask else 0
