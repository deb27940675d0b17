"""Messages that a process takes from those that it started. Where it calls no environment and no
vectorizer of a library, they are the moments in which it answers the doctor.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from envdoctor.probe.live.counted import passing

#: By their modules, the methods of multiprocessing that wait for a message.
WAITING = {
    "multiprocessing.connection": ("_ConnectionBase.recv",),
    "multiprocessing.queues": ("Queue.get", "SimpleQueue.get"),
}


def take(hook: Any, module: Any) -> None:
    """Have a process say that it takes a message."""
    for name in WAITING.get(module.__name__, ()):
        owner_name, _, method = name.partition(".")
        owner = getattr(module, owner_name, None)
        original = vars(owner).get(method) if owner is not None else None
        if type(original) is types.FunctionType:
            setattr(owner, method, passing(original, functools.partial(_waiting, hook)))


def _waiting(hook: Any, _connection: Any) -> None:
    """A message is about to be waited for. Nothing of ours reaches the user."""
    if hook.waiting is not None:
        hook.waiting()
