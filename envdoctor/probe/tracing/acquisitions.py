"""The lines of the subject's code that take descriptors, threads, processes, ports, temporary files
and shared memory.

One audit hook. It cannot be taken out again, so it has a switch, and the process that played with
it retires.
"""

from __future__ import annotations

import _thread
import linecache
import os
import re
import socket
import sys
import tempfile
import threading
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    Mapping,
    NamedTuple,
    Optional,
    Set,
    Tuple,
)

from envdoctor.probe import loaded
from envdoctor.probe.sensors.shared_memory import FOLDER

if TYPE_CHECKING:
    from types import FrameType


Write = Callable[[Dict[str, Any]], object]
Place = Mapping[str, object]

MAX_TARGET = 200  # characters

_OURS = ("envdoctor.probe", "envdoctor.model")
_START = "_thread.start_new_thread"
_SHARED = "envdoctor.shm_open"

#: multiprocessing starts these without an audit event of their own; each writes to a pipe right
#: afterwards.
_STARTERS = {
    "multiprocessing.popen_spawn_posix": "spawn",
    "multiprocessing.popen_forkserver": "forkserver",
}


class Audited(NamedTuple):
    """One audit event: its arguments, the frame that caused it, and the probe's TMPDIR."""

    arguments: Tuple[Any, ...]
    caller: Any
    folder: str


class AcquisitionWatch:
    """Request of one call of `watch`. `active` switches it off."""

    def __init__(self, write: Write, is_users: Callable[[str], bool]) -> None:
        self.active = True
        self.write = write
        self.is_users = is_users
        # Asked now: the first time, it tries the folder with a file.
        self.folder = os.path.realpath(tempfile.gettempdir())
        self._known: Dict[str, bool] = {}

    def tell(self, event: str, arguments: Tuple[object, ...], caller: object) -> None:
        """Write down what an audit event takes, if it is the subject's own code that takes it."""
        frame = users_place(caller, self._is_users)
        if frame is None:
            return
        for what, target in _ACQUISITIONS[event](Audited(arguments, caller, self.folder)):
            self.write(
                {
                    "event": "acquisition",
                    "what": what,
                    "target": target[:MAX_TARGET],
                    "frame": frame,
                }
            )

    def _is_users(self, filename: str) -> bool:
        known = self._known.get(filename)
        if known is None:
            known = self._known[filename] = self.is_users(filename)
        return known


def users_place(frame: Any, is_users: Callable[[str], bool]) -> Optional[Place]:
    """The innermost frame that is the subject's own, with the outermost one, where it was entered,
    as `caller`; None where no such frame is there, or when it was envdoctor that took it.
    """
    users = []
    while frame is not None and not loaded.module_of(frame).startswith(_OURS):
        if is_users(frame.f_code.co_filename):
            users.append(frame)
        frame = frame.f_back
    if not users:
        return None
    caller = _place(users[-1]) if users[-1] is not users[0] else None
    return dict(_place(users[0]), caller=caller, stop=_stop_of(users[0].f_code.co_filename))


def _place(frame: FrameType) -> Dict[str, object]:
    code = frame.f_code
    text = linecache.getline(code.co_filename, frame.f_lineno).strip()[:MAX_TARGET]
    # Since 3.11; before, the first line tells the class.
    name = getattr(code, "co_qualname", code.co_name)
    return {
        "file": code.co_filename,
        "line": frame.f_lineno,
        "function": name,
        "text": text,
        "first": code.co_firstlineno,
    }


def _stop_of(file: str) -> str:
    """The attribute that holds an event, where a file has just one: what tells its threads to
    end.
    """
    names = set(
        re.findall(r"self\.(\w+)\s*=\s*(?:threading\.)?Event\(", "".join(linecache.getlines(file)))
    )
    return names.pop() if len(names) == 1 else ""


class _Hook:
    """The one hook of this process. Never raises: an error here would be an error of the
    environment.
    """

    def __init__(self) -> None:
        self.watch: Optional[AcquisitionWatch] = None
        # Threads that are in the hook: writing an event opens the journal.
        self._busy: Set[int] = set()

    def __call__(self, event: str, arguments: Tuple[object, ...]) -> None:
        watch = self.watch
        if (
            event not in _ACQUISITIONS
            or watch is None
            or not watch.active
            or _thread.get_ident() in self._busy
        ):
            return
        self._busy.add(_thread.get_ident())
        try:
            watch.tell(event, arguments, loaded.caller(sys._getframe(1), __name__))
        except Exception:
            pass
        finally:
            self._busy.discard(_thread.get_ident())


_hook = _Hook()


def watch(write: Write, is_users: Callable[[str], bool]) -> AcquisitionWatch:
    """From here on, `write` gets an `acquisition` event for each thing that the subject's own code
    takes, until `active` of the answer is set to False. `is_users` tells from a file name whether
    code is the subject's own. A second call takes over.
    """
    if _hook.watch is None:
        sys.addaudithook(_hook)
        _audit_threads()
        _audit_shared_memory()
    _hook.watch = AcquisitionWatch(write, is_users)
    return _hook.watch


def _audit_threads() -> None:
    """Python reports new threads since 3.12; before, that is made up for here."""
    if sys.version_info >= (3, 12):
        return
    start: Callable[..., int] = _thread.start_new_thread

    def start_new_thread(function: object, *arguments: object) -> object:
        sys.audit(_START, function)
        return start(function, *arguments)

    for module, name in (
        (_thread, "start_new_thread"),
        (_thread, "start_new"),
        (threading, "_start_new_thread"),
    ):
        setattr(module, name, start_new_thread)


def _audit_shared_memory() -> None:
    """No Python reports what multiprocessing.shared_memory opens."""
    try:
        import _posixshmem
    except ImportError:
        return
    open_segment: Callable[..., object] = _posixshmem.shm_open

    def shm_open(path: str, flags: int, mode: int = 0o777) -> object:
        sys.audit(_SHARED, path, flags)
        return open_segment(path, flags, mode)

    _posixshmem.shm_open = shm_open


# One function an event: the kind of what was acquired, and its name.

Acquired = Iterator[Tuple[str, str]]


def _opened(event: Audited) -> Acquired:
    path, mode, flags = event.arguments
    if mode is not None and not isinstance(path, int) and os.path.isdir(path):
        # Since 3.12 tempfile opens its folder, with an opener that opens the file; that one is
        # reported by itself.
        return
    if isinstance(path, int):  # a file object over a descriptor that is there already
        method = _STARTERS.get(loaded.module_of(event.caller))
        if method is not None:
            yield "process", "multiprocessing process (%s)" % method
    elif not event.caller.f_code.co_filename.startswith(
        "<frozen "
    ):  # the import system reads and closes
        yield "descriptor", os.path.abspath(os.fsdecode(path))
        if flags & os.O_CREAT:
            yield from _placed(path, event.folder)


def _made_folder(event: Audited) -> Acquired:
    return _placed(event.arguments[0], event.folder)


def _moved(event: Audited) -> Acquired:
    return _placed(event.arguments[1], event.folder)


def _placed(path: str, folder: str) -> Acquired:
    real = os.path.realpath(os.fsdecode(path))
    if real.startswith(folder + os.sep):
        yield "file", os.path.relpath(real, folder)


def _socket(event: Audited) -> Acquired:
    family = event.arguments[1]
    yield (
        "descriptor",
        "socket %s"
        % next(
            (known.name for known in socket.AddressFamily if known == family), "over a descriptor"
        ),
    )


def _segment(event: Audited) -> Acquired:
    path, flags = event.arguments
    file = FOLDER + path.lstrip("/")
    yield "descriptor", file
    if flags & os.O_CREAT:
        yield "segment", file


def _database(event: Audited) -> Acquired:
    path = os.fsdecode(event.arguments[0])
    if path and not path.startswith(":"):  # in memory
        yield "descriptor", os.path.abspath(path)
        yield from _placed(path, event.folder)


def _bound(event: Audited) -> Acquired:
    address = event.arguments[1]
    if isinstance(address, tuple):
        yield "port", "%s:%s" % address[:2]


def _command(event: Audited) -> Acquired:
    executable, words = event.arguments[:2]
    listed = list(words) if isinstance(words, (list, tuple)) else [words or executable]
    yield "process", " ".join(os.fsdecode(word) for word in listed)


def _shell(event: Audited) -> Acquired:
    yield "process", os.fsdecode(event.arguments[0])


def _forked(_event: Audited) -> Acquired:
    yield "process", "fork"


def _thread_started(event: Audited) -> Acquired:
    function = event.arguments[0]
    thread = getattr(function, "__self__", None)
    if not isinstance(thread, threading.Thread):
        yield "thread", _name(function)
        return
    target = getattr(thread, "_target", None) or type(thread).run
    yield "thread", "python thread '%s' (target %s)" % (thread.name, _name(target))


_ACQUISITIONS: Dict[str, Callable[[Audited], Acquired]] = {
    "open": _opened,
    "os.mkdir": _made_folder,
    "os.rename": _moved,
    "os.link": _moved,
    "os.symlink": _moved,
    "socket.__new__": _socket,
    "socket.bind": _bound,
    "sqlite3.connect": _database,
    _SHARED: _segment,
    "subprocess.Popen": _command,
    "os.posix_spawn": _command,
    "os.system": _shell,
    "os.fork": _forked,
    "os.forkpty": _forked,
    _START: _thread_started,
    "_thread.start_joinable_thread": _thread_started,
}


def _name(function: object) -> str:
    module = getattr(function, "__module__", None) or type(function).__module__
    return "%s.%s" % (
        module,
        getattr(function, "__qualname__", None) or type(function).__qualname__,
    )
