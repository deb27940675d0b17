"""Has the last thing fail that a reset() asks the system for, as it fails on a full machine.

One audit hook. It cannot be taken out again, so it has a switch. A call is counted in the thread
that resets, and not where a module is imported or the probe writes its journal.
"""

from __future__ import annotations

import _thread
import contextlib
import errno
import os
import sys
import threading
import tokenize
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.ownership import is_ours

_START = "_thread.start_new_thread"
FILENO = "fileno"  # the argument of a socket over a descriptor that is there


def _system_error(number: int) -> Callable[[], Exception]:
    return lambda: OSError(number, os.strerror(number))


def _no_thread() -> Exception:
    return RuntimeError("can't start new thread")


_TOO_MANY_FILES = _system_error(errno.EMFILE)
_TOO_MANY_PROCESSES = _system_error(errno.EAGAIN)

#: What the system says where it has no more of what is asked for.
ERRORS: Dict[str, Callable[[], Exception]] = {
    "open": _TOO_MANY_FILES,
    "os.mkdir": _system_error(errno.ENOSPC),
    "socket.__new__": _TOO_MANY_FILES,
    "socket.bind": _system_error(errno.EADDRINUSE),
    "socket.connect": _system_error(errno.ECONNREFUSED),
    "subprocess.Popen": _TOO_MANY_PROCESSES,
    "os.posix_spawn": _TOO_MANY_PROCESSES,
    "os.fork": _TOO_MANY_PROCESSES,
    "os.forkpty": _TOO_MANY_PROCESSES,
    _START: _no_thread,
    "_thread.start_joinable_thread": _no_thread,
}


class Denials:
    """`asked` is how much one reset() asked for, `denied` the audit event that failed of another
    one, or nothing, and `acquired` which kinds of things it had by then.
    """

    def __init__(self) -> None:
        self.asked = 0
        self.denied = ""
        self.acquired: Sequence[str] = ()

    @contextlib.contextmanager
    def counting(self) -> Iterator[None]:
        """Count what this thread asks for."""
        with _armed(_Count(0, lambda: ())) as count:
            yield
        self.asked = count.asked

    @contextlib.contextmanager
    def denying(self, acquired: Callable[[], Sequence[str]]) -> Iterator[None]:
        """Have the call fail that was the last one when they were counted: once, so that an
        environment that tries again goes on. `acquired` gives the kinds of things it has.
        """
        count = _Count(self.asked, acquired)
        try:
            with _armed(count):
                yield
        finally:
            self.denied, self.acquired = count.denied, count.acquired


class _Count:
    """Count of what one thread asked for; the `last` one fails, and where that is 0, none."""

    def __init__(self, last: int, things: Callable[[], Sequence[str]]) -> None:
        self.thread = _thread.get_ident()
        self.last = last
        self.things = things
        self.acquired: Sequence[str] = ()
        self.asked = 0
        self.denied = ""

    def see(self, event: str) -> None:
        """Count a call. Raises what the system would, where it is the one that fails."""
        self.asked += 1
        if self.asked == self.last:
            self.denied = event
            self.acquired = self.things()
            # No variable: the frame that is in its traceback would keep itself.
            raise ERRORS[event]()  # noqa: RSE102


class _DenialHook:
    """The one hook of this process."""

    def __init__(self) -> None:
        self.installed = False
        self.count: Optional[_Count] = None

    def __call__(self, event: str, arguments: Tuple[object, ...]) -> None:
        count = self.count
        if count is None or event not in ERRORS or count.thread != _thread.get_ident():
            return
        if _is_asked(event, arguments, loaded.caller(sys._getframe(1), __name__)):
            count.see(event)


_hook = _DenialHook()


@contextlib.contextmanager
def _armed(count: _Count) -> Iterator[_Count]:
    if not _hook.installed:
        sys.addaudithook(_hook)
        _hook.installed = True
    with _threads_audited():
        _hook.count = count
        try:
            yield count
        finally:
            _hook.count = None


@contextlib.contextmanager
def _threads_audited() -> Iterator[None]:
    """Python reports new threads since 3.12; before, that is made up for here."""
    if sys.version_info >= (3, 12):
        yield
        return
    start: Callable[..., int] = _thread.start_new_thread

    def start_new_thread(function: object, *arguments: object) -> object:
        sys.audit(_START, function)
        return start(function, *arguments)

    places = (
        (_thread, "start_new_thread"),
        (_thread, "start_new"),
        (threading, "_start_new_thread"),
    )
    for module, name in places:
        setattr(module, name, start_new_thread)
    try:
        yield
    finally:
        for module, name in places:
            setattr(module, name, start)


def _is_asked(event: str, arguments: Tuple[object, ...], caller: Any) -> bool:
    """Return whether this is a thing that the environment asks for: not where its code is imported,
    or read for the lines of a stack, nor a file object or a socket over a descriptor that is there
    already (`accept()`, `socketpair()`).
    """
    file = caller.f_code.co_filename
    if is_ours(file) or file.startswith("<frozen ") or file == tokenize.__file__:
        return False
    if event == "socket.__new__":
        return caller.f_locals.get(FILENO) is None
    return event != "open" or not isinstance(arguments[0], int)
