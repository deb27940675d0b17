"""Coroutines of an environment, run to their end on one event loop of the probe.

A program that drives such an environment has a loop of its own: it ends the tasks that are left
and the threads of the executor when it is over. Both are done here, too, so that no
environment is blamed for what only belongs to the loop. asyncio is imported where a call first
returns a coroutine: the code that made it has it already.
"""

from __future__ import annotations

import atexit
import sys
import threading
from types import CoroutineType
from typing import TYPE_CHECKING, Any, List

from envdoctor.probe.system.deadline import Deadline

if TYPE_CHECKING:
    from types import ModuleType

PREFIX = "envdoctor-executor"
TURNS = 3  # of the loop: a task that is cancelled may wait for another one that is
PAUSE = 0.02  # seconds
JOINED = 1.0  # seconds for the idle threads of the executor to end


class _Running:
    """The loop of this process, and what runs its blocking calls."""

    loop: Any = None
    executor: Any = None


def is_used() -> bool:
    """True where a call of the environment was a coroutine."""
    return _Running.loop is not None


def settled(answer: object) -> object:
    """Return what a call returned; where that is a coroutine, its result. Raises what it raises."""
    return _loop().run_until_complete(answer) if isinstance(answer, CoroutineType) else answer


def _loop() -> Any:
    if _Running.loop is None:
        import asyncio

        _Running.loop = _new_loop(asyncio)
        atexit.register(_end)
        _renew_executor()
    return _Running.loop


def _new_loop(asyncio: ModuleType) -> object:
    """Until Python 3.10, queues and locks belong to the loop of the thread in which they are made,
    in a constructor for one.
    """
    if sys.version_info < (3, 10):
        loop = asyncio.get_event_loop_policy().get_event_loop()
        if not loop.is_closed():
            return loop
    return asyncio.new_event_loop()


def _renew_executor() -> None:
    from concurrent.futures import ThreadPoolExecutor

    _Running.executor = ThreadPoolExecutor(thread_name_prefix=PREFIX)
    _Running.loop.set_default_executor(_Running.executor)


def pending() -> List[object]:
    """The tasks that the loop still has, once those that were cancelled had their turn."""
    if _Running.loop is None:
        return []
    import asyncio

    for _ in range(TURNS):
        _Running.loop.run_until_complete(asyncio.sleep(0))
    return list(asyncio.all_tasks(_Running.loop))


def rest() -> None:
    """End the idle threads of the loop's executor, as its end would: an instance was closed. A
    thread that is busy with a call of the environment's stays.
    """
    if _Running.loop is None or not _threads():
        return
    _Running.executor.shutdown(wait=False)
    deadline = Deadline(JOINED)
    while _threads() and not deadline.passed:
        _threads()[0].join(PAUSE)
    _renew_executor()


def _threads() -> List[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith(PREFIX)]


def _end() -> None:
    """Cancel the tasks that are left, and close the loop."""
    import asyncio

    loop, _Running.loop = _Running.loop, None
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.wait(tasks, timeout=JOINED))
    loop.close()
