"""Reports of event loops that most programs only log: tasks that are destroyed while they are
pending, and errors of tasks that are never retrieved.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Optional, Set, Tuple

if TYPE_CHECKING:
    from asyncio.tasks import Task
    from types import CoroutineType


Tell = Callable[[Dict[str, object]], object]
Failed = Callable[[str, BaseException], object]

_NAME = "call_exception_handler"  # what asyncio's loops call, in C and in Python


class LoopReports:
    """Hears the loops of asyncio from the moment that a program has imported it. `tell` gets each
    task that a line of the user's made and that is left pending, `failed` the name and the error
    of one whose error is never retrieved. What a loop reports is logged as ever.
    """

    def __init__(self, tell: Tell, failed: Failed, is_users: Callable[[str], bool]) -> None:
        self._tell, self._failed, self._is_users = tell, failed, is_users
        self._before: object = None
        self._ours: object = None
        self._reported: Set[Tuple[int, str]] = set()

    def listen(self) -> None:
        """Listen, from when a program has imported asyncio."""
        if self._before is not None or "asyncio.base_events" not in sys.modules:
            return
        from asyncio.base_events import BaseEventLoop

        self._before = before = getattr(BaseEventLoop, _NAME)

        def reported(loop: object, context: Dict[str, Any]) -> None:
            with contextlib.suppress(Exception):  # no error of ours is one of a finalizer
                self._hear(**context)
            before(loop, context)

        setattr(BaseEventLoop, _NAME, reported)
        self._ours = reported

    def stop(self) -> None:
        """Leave the loops as they were, unless another listener listens through us."""
        before, self._before = self._before, None
        if before is None:
            return
        from asyncio.base_events import BaseEventLoop

        if getattr(BaseEventLoop, _NAME) is self._ours:
            setattr(BaseEventLoop, _NAME, before)

    def tell_pending(self, tasks: Iterable[Any]) -> None:
        """Tell those of some tasks that are pending, each once."""
        for task in tasks:
            if not task.done():
                self._left(task, destroyed=False)

    def _hear(
        self,
        task: Any = None,
        future: object = None,
        exception: Optional[BaseException] = None,
        **_: object,
    ) -> None:
        task = task or future  # a task whose error is never retrieved is reported as a future
        coroutine = _coroutine_of(task)
        if coroutine is None:
            return
        if exception is not None:
            self._failed(coroutine.__qualname__, exception)
        elif not task.done():
            self._left(task, destroyed=True)

    def _left(self, task: Task[object], destroyed: bool) -> None:
        fact = _described(_coroutine_of(task), self._is_users)
        key = (id(task), task.get_name())  # its name has a number that is never given again
        if fact is not None and key not in self._reported:
            self._reported.add(key)
            self._tell({**fact, "destroyed": destroyed})


def _coroutine_of(task: object) -> Optional[CoroutineType[object, object, object]]:
    """Return the coroutine that a task runs; None for anything else."""
    get = getattr(task, "get_coro", None)
    coroutine = get() if get is not None else None
    return coroutine if hasattr(coroutine, "cr_origin") else None


def _described(coroutine: Any, is_users: Callable[[str], bool]) -> Optional[Dict[str, object]]:
    origin = coroutine.cr_origin if coroutine is not None else None
    if not origin or not is_users(origin[0][0]):
        return None
    file, line, function = origin[0]
    return {
        "name": coroutine.__qualname__,
        "place": {"file": file, "line": line, "function": function},
    }
