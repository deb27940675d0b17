"""Locks that a thread of an event loop takes for a task that is cancelled before it knows of that:
nothing releases them.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Callable, Dict, Optional, Protocol, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.journal import encoded
from envdoctor.probe.live.counted import in_the_place_of
from envdoctor.probe.ownership import Ownership, frame_of, own_place

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

METHOD, TAKES, MOST = "run_in_executor", "acquire", 64


class Lock(Protocol):
    """One of Python's, in C."""

    def locked(self) -> bool:
        """Return whether it is held."""


class OwnTask(Protocol):
    """One of an event loop."""

    def cancelled(self) -> bool:
        """Return whether it was cancelled."""

    def add_done_callback(self, call: Callable[[object], None]) -> object:
        """Have a function called once it is over."""


class _Acquisition:
    """A lock that a thread takes at a line, for a task; it may be journaled as lost."""

    def __init__(self, lock: Lock, task: OwnTask, place: Tuple[str, int, str]) -> None:
        self.lock, self.task, self.place = lock, task, place
        self.is_journaled = False

    def tell(self, hook: Hook, what: str) -> None:
        """Journal what becomes of it."""
        hook.write(encoded("watched", {"what": what, "frame": frame_of(self.place)}))


Latest = Dict[int, _Acquisition]  # by the ids of the locks


def follow(hook: Hook, kind: type) -> None:
    """Follow the locks that the loops of a process take in threads; `kind` is their base class."""
    latest: Latest = {}
    original: Callable[..., object] = getattr(kind, METHOD)

    def run(loop: object, executor: object, call: Callable[..., object], *args: object) -> object:
        acquisition = _acquisition(hook, loop, call)
        if acquisition is None or len(latest) >= MOST:
            return original(loop, executor, call, *args)

        def take(*own: object) -> object:
            result = call(*own)
            if result is True:
                _acquired(hook, acquisition, latest)
            return result

        acquisition.task.add_done_callback(lambda _: _look(hook, acquisition, latest))
        return original(loop, executor, take, *args)

    setattr(kind, METHOD, in_the_place_of(original, run))


def _acquired(hook: Hook, acquisition: _Acquisition, latest: Latest) -> None:
    """A thread has taken a lock: one that was lost had been released. Nothing of ours reaches the
    user.
    """
    try:
        before = latest.get(id(acquisition.lock))
        latest[id(acquisition.lock)] = acquisition
        if before is not None and before.is_journaled:
            before.tell(hook, "lock-released")
        _look(hook, acquisition, latest)
    except Exception as error:
        hook.complain(type(error).__name__)


def _look(hook: Hook, acquisition: _Acquisition, latest: Latest) -> None:
    """A lock was taken, or its task is over: journal it where the task was cancelled and it is
    held. Nothing of ours reaches the user.
    """
    try:
        is_latest = latest.get(id(acquisition.lock)) is acquisition
        if not is_latest or acquisition.is_journaled or not acquisition.task.cancelled():
            return
        if acquisition.lock.locked():
            acquisition.is_journaled = True
            acquisition.tell(hook, "lost-lock")
        else:
            del latest[id(acquisition.lock)]
    except Exception as error:
        hook.complain(type(error).__name__)


def _acquisition(hook: Hook, loop: object, call: object) -> Optional[_Acquisition]:
    """The lock that a call takes for the current task, if that is all it does. Nothing of ours
    reaches the user.
    """
    try:
        if type(call) is functools.partial and call.args:  # of asyncio.to_thread()
            call = call.args[0]
        lock = getattr(call, "__self__", None)
        if getattr(call, "__name__", "") != TAKES or not hasattr(type(lock), "locked"):
            return None
        task = loaded.module("asyncio.tasks").current_task(loop)
        place = own_place(sys._getframe(1), Ownership().is_users)
        known = lock is not None and task is not None and place is not None
        return _Acquisition(lock, task, place) if known and place and lock else None
    except Exception as error:
        hook.complain(type(error).__name__)
        return None
