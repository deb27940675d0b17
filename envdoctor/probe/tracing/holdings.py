"""Things of the operating system that an object holds: open files and sockets, running threads,
child processes.

A holding refers weakly to what it is about, and a process is known by its number and the time of
its start, so that to follow one keeps nothing alive.
"""

from __future__ import annotations

import os
import sys
import types
import weakref
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Tuple

MAX_ITEMS = 100  # of one container or object that are looked at
MAX_TEXT = 100  # characters

#: What gives something back. Generators have a close() as well, and hold nothing.
RELEASES = ("close", "stop", "disconnect", "terminate", "release", "shutdown")
PLAIN = (
    types.GeneratorType,
    types.CoroutineType,
    types.AsyncGeneratorType,
    types.ModuleType,
    types.FunctionType,
    types.MethodType,
    type,
)

#: Those whose objects are open files. `closed` is asked of them, which a socket does not have.
FILES = (("io", "IOBase"), ("socket", "socket"), ("multiprocessing.connection", "_ConnectionBase"))
THREADS = (("threading", "Thread"),)
PROCESSES = (("subprocess", "Popen"), ("multiprocessing.process", "BaseProcess"))


class Holding(NamedTuple):
    """One thing: `key` tells it from others, `is_held()` whether it is still there, `thing()`
    the object or None.
    """

    key: Tuple[str, int]
    text: str
    is_held: Callable[[], bool]
    thing: Callable[[], object]


def releases_of(value: object) -> List[str]:
    """The names of the methods that would give it back. Asked of its class: an object may
    answer to any name.
    """
    kind = type(value)
    return (
        []
        if issubclass(kind, PLAIN)
        else [name for name in RELEASES if callable(getattr(kind, name, None))]
    )


def holding_of(value: Any, serial: Callable[[object], Optional[int]]) -> Optional[Holding]:
    """Return what an object is, if it is one of these and in use. `serial` numbers objects."""
    try:
        if _is(value, FILES) and _is_open(value):
            return _holding("file", serial(value), value, _is_open, _name_of_file(value))
        if _is(value, THREADS) and _is_running(value):
            return _holding(
                "thread", serial(value), value, _is_running, "thread %r" % str(value.name)
            )
        if _is(value, PROCESSES):
            return _process(value)
    except Exception:  # a property or a name of the environment's own
        return None
    return None


def parts_of(value: Any) -> Iterator[Tuple[str, object]]:
    """The items of a container, or the attributes of an object: (how a path to it goes on,
    value).
    """
    kind = type(value)
    if kind is dict:
        yield from (
            ("[%r]" % (key,) if type(key) in (str, int) else "[...]", item)
            for key, item in list(value.items())[:MAX_ITEMS]
        )
    elif kind in (list, tuple, set, frozenset):
        yield from (("[%d]" % at, item) for at, item in enumerate(list(value)[:MAX_ITEMS]))
    elif not issubclass(kind, PLAIN):
        attributes = getattr(value, "__dict__", None)
        if type(attributes) is dict:
            yield from ((".%s" % name, item) for name, item in list(attributes.items())[:MAX_ITEMS])


def _is(value: object, known: Tuple[Tuple[str, str], ...]) -> bool:
    """Return whether it is of one of these classes. A module that was not loaded has no objects;
    `isinstance` believes what an object says.
    """
    classes = [getattr(sys.modules.get(module), name, None) for module, name in known]
    return any(isinstance(kind, type) and issubclass(type(value), kind) for kind in classes)


def _holding(
    what: str, number: Optional[int], value: object, is_held: Callable[[object], bool], text: str
) -> Optional[Holding]:
    if number is None:
        return None
    reference = weakref.ref(value)

    def held() -> bool:
        thing = reference()
        return thing is not None and is_held(thing)

    return Holding((what, number), text[:MAX_TEXT], held, reference)


def _is_open(value: Any) -> bool:
    """Return whether it has a descriptor: a file in memory has none."""
    try:
        return not getattr(value, "closed", False) and value.fileno() >= 0
    except Exception:
        return False


def _is_running(thread: Any) -> bool:
    return bool(thread.is_alive())


def _name_of_file(value: object) -> str:
    name = getattr(value, "name", None)
    if isinstance(name, str):
        return "file %s" % name
    return (
        "socket"
        if _is(value, FILES[1:2])
        else "connection"
        if _is(value, FILES[2:])
        else "pipe or descriptor %r" % (name,)
    )


def _process(value: object) -> Optional[Holding]:
    """Not through its object: to poll it would reap it."""
    pid = getattr(value, "pid", None)
    if not isinstance(pid, int):  # not started yet
        return None
    began = _start_of(pid)
    if not began:
        return None
    words = getattr(value, "args", None) or getattr(value, "name", "")
    text = " ".join(map(str, words)) if isinstance(words, (list, tuple)) else str(words)
    return Holding(
        ("process", pid),
        ("process %s" % text)[:MAX_TEXT],
        lambda: _start_of(pid) == began,
        lambda: None,
    )


def _start_of(pid: int) -> str:
    """Return when a process began, where the system tells ("running" elsewhere); nothing when it
    is gone or waits to be reaped.
    """
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            words = file.read().rpartition(b")")[2].split()
        return "" if words[0] in (b"Z", b"X") else words[19].decode()
    except (OSError, IndexError):
        if os.path.exists("/proc/self/stat"):
            return ""
    try:
        os.kill(pid, 0)
    except OSError:
        return ""
    return "running"
