"""Signs of life: a verb may make many calls, and each of them has the whole deadline. After a call
that came back the doctor's clock begins anew.
"""

from __future__ import annotations

import contextlib
import functools
from os import O_APPEND, O_WRONLY, close, getpid, open, write  # noqa: A004
from time import monotonic
from typing import Any, Callable, Iterator

EVERY = 0.25  # seconds: what is quick needs no sign
SIGN = b'{"event": "beat", "t": 0, "pid": 0}\n'
FOLLOWED = ("reset", "step", "render", "close")


class _Heart:
    """Path of the signs, and when the next one is due. Nothing of it grows: meters would see it."""

    path = ""
    pid = 0
    due = 0.0


def begin(path: str) -> None:
    """Signs go to the journal at `path`, from this process only."""
    _Heart.path, _Heart.pid, _Heart.due = path, getpid(), monotonic() + EVERY


def beat() -> None:
    """A call came back."""
    if monotonic() < _Heart.due or getpid() != _Heart.pid:
        return
    _Heart.due = monotonic() + EVERY
    with contextlib.suppress(OSError):  # a full disk, or no descriptor: the deadline is shorter
        descriptor = open(_Heart.path, O_WRONLY | O_APPEND)
        try:
            write(descriptor, SIGN)
        finally:
            close(descriptor)


@contextlib.contextmanager
def following(environment: object, log: object = None) -> Iterator[None]:
    """Within, each call of an instance that others drive is followed by a sign, where the instance
    lets its attributes be set. With its `log`, seeds of resets are journaled.
    """
    followed = []
    for name in FOLLOWED:
        method = getattr(environment, name, None)
        if callable(method) and name not in getattr(environment, "__dict__", {name: None}):
            with contextlib.suppress(Exception):
                call = method if log is None or name != "reset" else _with_seed(method, log)
                setattr(environment, name, _with_sign(call))
                followed.append(name)
    try:
        yield
    finally:
        for name in followed:
            with contextlib.suppress(Exception):
                delattr(environment, name)


def _with_seed(reset: Callable[..., object], log: Any) -> object:
    @functools.wraps(reset)
    def followed_call(*arguments: object, **named: object) -> object:
        log.resetting(**named)
        try:
            return reset(*arguments, **named)
        finally:
            log.was_reset()

    return followed_call


def _with_sign(method: Any) -> object:
    @functools.wraps(method)
    def followed_call(*arguments: object, **named: object) -> object:
        try:
            return method(*arguments, **named)
        finally:
            beat()

    return followed_call
