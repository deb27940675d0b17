"""Messages that a process takes from those that it started. Where it calls no environment and no
vectorizer of a library, they are the moments in which it answers the doctor.
"""

from __future__ import annotations

import functools
import threading
import types
from typing import TYPE_CHECKING, Any

from envdoctor.model import page
from envdoctor.probe.live.counted import passing

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

#: By their modules, the methods of multiprocessing that wait for a message.
WAITING = {
    "multiprocessing.connection": ("_ConnectionBase.recv",),
    "multiprocessing.queues": ("Queue.get", "SimpleQueue.get"),
}


def take(hook: Hook, module: types.ModuleType) -> None:
    """Have a process say that it takes a message."""
    for name in WAITING.get(module.__name__, ()):
        owner_name, _, method = name.partition(".")
        owner = getattr(module, owner_name, None)
        original = vars(owner).get(method) if owner is not None else None
        if type(original) is types.FunctionType:
            setattr(owner, method, passing(original, functools.partial(_waiting, hook)))


def _waiting(hook: Hook, _connection: object) -> None:
    """A message is about to be waited for. Nothing of ours reaches the user."""
    if hook.waiting is not None:
        hook.waiting()


def answer(instances: Any) -> None:
    """A message is waited for in a process that has these `instances`: see to what the doctor
    asks of a trainer that calls nothing else. Nothing of ours reaches the user.
    """
    try:
        numbers = instances.numbers()
        if numbers is None:
            return
        numbers[page.RECEIVED] += 1
        if not (numbers[page.MESSAGES] or instances.sites.has_processes):
            return
        numbers[page.MESSAGES] = 1
        if not numbers[page.DUE] or numbers[page.VECTORIZERS] or _has_called(numbers):
            return
        if threading.current_thread() is threading.main_thread():
            instances.see_to(numbers)
    except Exception as error:
        instances.hook.complain(type(error).__name__)


def _has_called(numbers: memoryview) -> bool:
    """Return whether the process has called an environment."""
    used = range(page.FIRST, page.FIRST + numbers[page.USED])
    columns = (page.RESET, page.STEP)
    return any(numbers[row * page.WIDTH + column] for row in used for column in columns)
