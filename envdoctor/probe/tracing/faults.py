"""Faults of the environment of one worker, which a scenario asks for."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from typing import Callable, Dict, Tuple

from envdoctor.model import faults


class InjectedError(Exception):
    """Raised on purpose."""


class UnpicklableError(InjectedError):
    """As exceptions are that keep what they failed on: a connection, a lock."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lock = threading.Lock()


def _raise() -> None:
    raise InjectedError(faults.TEXT)


def _raise_with_two_arguments() -> None:
    raise subprocess.CalledProcessError(3, "simulator")


def _raise_unpicklable() -> None:
    raise UnpicklableError(faults.TEXT)


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _wait() -> None:
    time.sleep(faults.SLOW)


#: The method in which each kind happens, and what happens before the method itself is called.
ACTS: Dict[str, Tuple[str, Callable[[], None]]] = {
    faults.RESET: ("reset", _raise),
    faults.STEP: ("step", _raise),
    faults.CLOSE: ("close", _raise),
    faults.KILL: ("step", _kill),
    faults.TWO_ARGUMENTS: ("step", _raise_with_two_arguments),
    faults.UNPICKLABLE: ("step", _raise_unpicklable),
    faults.SLOW_STEP: ("step", _wait),
}


def afflict(build: Callable[[], object], kind: str) -> object:
    """A new instance with the fault in it. Raises InjectedError for the fault of the
    constructor.
    """
    if kind == faults.CONSTRUCTOR:
        _raise()
    environment = build()
    method, act = ACTS[kind]
    original = getattr(environment, method)

    def faulty(*args: object, **kwargs: object) -> object:
        act()
        return original(*args, **kwargs)

    setattr(environment, method, faulty)
    return environment
