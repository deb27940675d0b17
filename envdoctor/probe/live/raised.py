"""The exception that ends a process, as its own code was left by it: of a script at its exit, of a
worker of multiprocessing when it has run. That which ends a thread is journaled, too.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Optional, Tuple

from envdoctor.probe.journal import encoded
from envdoctor.probe.ownership import Ownership

LONGEST = 300  # characters of a message
FIRST = 1 << 20  # among the finalizers of multiprocessing
REQUESTS = (SystemExit, KeyboardInterrupt, GeneratorExit)


def ends_script(hook: Any, error: BaseException) -> None:
    """Journal what ended the script: nothing above it has caught it."""
    traceback = error.__traceback__
    if traceback is not None and traceback.tb_frame.f_back is None:
        _tell(hook, error)


def ends_thread(hook: Any, error: Optional[BaseException]) -> None:
    """Journal what ends a thread."""
    if error is not None and not isinstance(error, REQUESTS):
        _tell(hook, error, "thread-raised")


def take(hook: Any, util: Any) -> None:
    """Have each worker of multiprocessing journal what ends it; `util` is the module of that."""

    def begun(_: Any) -> None:
        util.Finalize(None, _ended, (hook,), exitpriority=FIRST)

    util.register_after_fork(hook, begun)
    begun(None)  # a spawned worker keeps its finalizers, and runs nothing after a fork


def _ended(hook: Any) -> None:
    """A worker has run: an exception that ends it is on its way. Nothing of ours reaches it."""
    error = sys.exc_info()[1]
    if error is None:
        return
    hook.ended = True
    if isinstance(error, REQUESTS):
        return
    try:
        _tell(hook, error)
    except Exception as ours:
        hook.complain(type(ours).__name__)


def _tell(hook: Any, error: BaseException, what: str = "raised") -> None:
    kind = type(error)
    frame = _frame(error)
    place = frame and dict(zip(("file", "line", "function"), frame))
    message = " ".join(str(error).split())[:LONGEST]
    name = kind.__name__ if kind.__module__ == "builtins" else "%s.%s" % _named(kind)
    keys = {"what": what, "type": name, "message": message, "frame": place}
    hook.write(encoded("watched", keys))


def _named(kind: Any) -> Tuple[str, str]:
    return kind.__module__, kind.__qualname__


def _frame(error: BaseException) -> Optional[Tuple[str, int, str]]:
    """The innermost line of the user's code, or else the innermost line."""
    ownership = Ownership()
    traceback: Any = error.__traceback__
    own = last = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        last = (os.path.abspath(code.co_filename), traceback.tb_lineno, code.co_name)
        own = last if ownership.is_users(code.co_filename) else own
        traceback = traceback.tb_next
    return own or last
