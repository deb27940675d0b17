"""The exception that ends a process, as its own code was left by it: of a script at its exit, of a
worker of multiprocessing when it has run. That which ends a thread is journaled, too, and that
which a call of an environment, or the start of a vectorizer, raised.
"""

from __future__ import annotations

import atexit
import os
import sys
from typing import Any, Dict, Optional, Tuple

from envdoctor.model.page import FIRST as FIRST_ROW
from envdoctor.model.page import METHODS, RAISED, UNMADE, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.journal import encoded
from envdoctor.probe.live import terminations
from envdoctor.probe.ownership import Ownership

LONGEST = 300  # characters of a message
FIRST = 1 << 20  # among the finalizers of multiprocessing
SPAWN, SCRIPT = "multiprocessing.spawn", "__mp_main__"  # its module, and the script's in a worker
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


def ends_call(instances: Any, at: int, error: BaseException) -> None:
    """Journal what a call of an instance raised, whose counts are at a place of the page."""
    if isinstance(error, REQUESTS):
        return
    row, column = divmod(at, WIDTH)
    method = next(name for name, first in METHODS.items() if first == column)
    raised = UNMADE if method == "make" else RAISED
    number = instances.page.numbers[row * WIDTH + raised]
    keys = {"page": instances.name, "row": row - FIRST_ROW + 1, "method": method, "number": number}
    rows = instances.at(row * WIDTH)
    place = rows[0].closed_at if len(rows) == 1 and not rows[0].open else None
    closed = {"closed_at": dict(zip(("file", "line", "function"), place))} if place else {}
    _tell(instances.hook, error, "call-raised", **keys, **closed)


def ends_launch(instances: Any, kind: Any, args: Tuple[Any, ...], error: BaseException) -> None:
    """Journal that a vectorizer of a class could not be made, which was given instances."""
    lists = [each for each in args if isinstance(each, (list, tuple))]
    classes = [
        type(obj)
        for each in lists
        for obj in each
        if instances.follows(obj) or instances.wraps(type(obj))
    ]
    if classes and not isinstance(error, REQUESTS):
        keys = {"by": kind.__name__, "number": len(classes), "given": classes[0].__name__}
        _tell(instances.hook, error, "launch-raised", **keys)


def take(hook: Any, util: Any) -> None:
    """Have each worker of multiprocessing journal what ends it; `util` is the module of that, which
    waits at the exit of a process for its children: what ends the script is journaled before. So is
    the line that ends a worker.
    """
    atexit.register(hook.exits)
    terminations.follow(hook, util.process)

    def begun(_: Any) -> None:
        util.Finalize(None, _ended, (hook,), exitpriority=FIRST)

    util.register_after_fork(hook, begun)
    begun(None)  # a spawned worker keeps its finalizers, and runs nothing after a fork


def _ended(hook: Any) -> None:
    """A worker has run: an exception that ends it is on its way. Nothing of ours reaches it."""
    error = sys.exc_info()[1]
    hook.ended = hook.ended or error is not None
    try:
        hook.tell_exit()
        if error is not None and not isinstance(error, REQUESTS):
            _tell(hook, error)
    except Exception as ours:
        hook.complain(type(ours).__name__)


def _tell(hook: Any, error: BaseException, what: str = "raised", **more: Any) -> None:
    kind = type(error)
    frame, within = _frame(error)
    place = frame and dict(zip(("file", "line", "function"), frame))
    message = " ".join(str(error).split())[:LONGEST]
    name = kind.__name__ if kind.__module__ == "builtins" else "%s.%s" % _named(kind)
    keys: Dict[str, Any] = {"what": what, "type": name, "message": message, "frame": place}
    hook.write(encoded("watched", dict(keys, within=within, **more)))


def _named(kind: Any) -> Tuple[str, str]:
    return kind.__module__, kind.__qualname__


def _frame(error: BaseException) -> Tuple[Optional[Tuple[str, int, str]], str]:
    """The innermost line of the user's code, or else the innermost line; and the module that raised
    it. Where that refuses to start workers while a worker imports the script, the script's line.
    """
    ownership = Ownership()
    traceback: Any = error.__traceback__
    own = last = script = None
    within = ""
    while traceback is not None:
        code, within = traceback.tb_frame.f_code, loaded.module_of(traceback.tb_frame)
        last = (os.path.abspath(code.co_filename), traceback.tb_lineno, code.co_name)
        own = last if ownership.is_users(code.co_filename) else own
        script = last if within == SCRIPT else script
        traceback = traceback.tb_next
    return (script if within == SPAWN else None) or own or last, within
