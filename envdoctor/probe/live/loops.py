"""Exceptions of tasks that nothing retrieves: their event loop only logs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional

from envdoctor.probe.live.counted import preceded
from envdoctor.probe.live.lost_locks import follow
from envdoctor.probe.live.raised import ends_task

if TYPE_CHECKING:
    from asyncio.events import AbstractEventLoop
    from types import ModuleType

    from envdoctor.probe.live.boot import Hook


NAME = "call_exception_handler"  # what asyncio's loops call, in C and in Python


def take(hook: Hook, events: ModuleType) -> None:
    """Listen to the loops of a process; `events` is the module of asyncio that has their base."""

    def is_reported(loop: AbstractEventLoop, context: Dict[str, Any]) -> None:
        try:
            if loop.get_exception_handler() is None:  # what the user handles is not only printed
                _hear(hook, **context)
        except Exception as ours:
            hook.complain(type(ours).__name__)

    kind = events.BaseEventLoop
    follow(hook, kind)
    setattr(kind, NAME, preceded(getattr(kind, NAME), is_reported))


def _hear(
    hook: Hook, future: object = None, exception: Optional[BaseException] = None, **_: object
) -> None:
    """Journal the error of a task; a future that is none has no coroutine."""
    get = getattr(future, "get_coro", None)
    if get is not None and exception is not None:
        ends_task(hook, getattr(get(), "__qualname__", ""), exception)
