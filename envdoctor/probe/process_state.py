"""State of the whole process that a scenario may leave to the next one: what is played after it
would fail, or work, for a reason that its own launch does not have.

Compared exactly with the state after the imports, which each new process has.
"""

from __future__ import annotations

import contextlib
import locale
import os
import sys
from typing import Callable, ClassVar, Dict, Iterator, List, Mapping, Tuple

from envdoctor.probe.subject import registries
from envdoctor.probe.system import allocator, room

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

#: Variables of the shell that decide nothing, and those that the probe itself changes.
PRIVATE = ("_", "PWD", "OLDPWD", "SHLVL", "LINES", "COLUMNS", "PYTHONHASHSEED", allocator.VARIABLE)

CONTEXT, SOCKET = "multiprocessing.context", "socket"

#: Modules whose functions an environment may replace for the whole process.
SHARED = ("builtins", "os", SOCKET, "subprocess", "threading", "time", "signal", "tempfile")

#: What belongs to the launch alone: it is common, and harms no instance that is played next.
MILD = ("environment variable", "module search path", "registered id")

UMASK = "Umask:"

State = Mapping[Tuple[str, str], object]


def read() -> State:
    """{(kind, name): value} of this process. Values are compared, and never shown."""
    state: Dict[Tuple[str, str], object] = {}
    for part in PARTS:
        state.update(part())
    return state


def changed(before: State, now: State) -> List[str]:
    """Return what differs: `umask`, `environment variable DISPLAY`."""
    return [" ".join(filter(None, key)) for key in _different(before, now)]


def _different(before: State, now: State) -> List[Tuple[str, str]]:
    """Most values are the same object: a thousand functions."""
    return [
        key
        for key in dict.fromkeys((*before, *now))
        if before.get(key, now) is not now.get(key, before) and _differs(key, before, now)
    ]


def _differs(key: Tuple[str, str], before: State, now: State) -> bool:
    """Functions are compared by identity: they may have an __eq__ of their own."""
    if key not in before or key not in now:
        return (key in before) != (key in now)
    earlier, later = before[key], now[key]
    return earlier is not later and (callable(earlier) or bool(earlier != later))


def is_mild(change: str) -> bool:
    """True for what only matters to a process that is launched next."""
    return change.startswith(MILD)


def _environment() -> Iterator[Tuple[Tuple[str, str], object]]:
    for name, value in os.environ.items():
        if name not in PRIVATE:
            yield ("environment variable", name), value


def _system() -> Iterator[Tuple[Tuple[str, str], object]]:
    try:
        yield ("working directory", ""), os.getcwd()
    except OSError:  # it was deleted
        yield ("working directory", ""), "gone"
    yield ("umask", ""), _umask()
    if resource is not None:
        for name in (name for name in dir(resource) if name.startswith("RLIMIT_")):
            yield ("limit", name), room.limit_of_environment(getattr(resource, name))
    if hasattr(os, "sched_getaffinity"):
        yield ("processors", ""), os.sched_getaffinity(0)
        yield ("priority", ""), os.getpriority(os.PRIO_PROCESS, 0)


def _umask() -> str:
    """Read, never set for a moment: a thread of the environment's may make a file meanwhile."""
    try:
        with open("/proc/self/status") as status:
            return next((line for line in status if line.startswith(UMASK)), "")
    except OSError:
        return ""


def _interpreter() -> Iterator[Tuple[Tuple[str, str], object]]:
    yield ("locale", ""), locale.setlocale(locale.LC_ALL)
    yield ("module search path", ""), list(sys.path)
    yield ("recursion limit", ""), room.recursion_limit_of_environment()
    context = sys.modules.get(CONTEXT)
    if context is not None:
        default = context._default_context
        chosen = default._actual_context or default._default_context
        yield ("start method", ""), chosen.get_start_method()
    sockets = sys.modules.get(SOCKET)
    if sockets is not None:
        yield ("socket timeout", ""), sockets.getdefaulttimeout()


def _functions() -> Iterator[Tuple[Tuple[str, str], object]]:
    for name in filter(sys.modules.__contains__, SHARED):
        for attribute, value in list(vars(sys.modules[name]).items()):
            if callable(value):
                yield ("function", "%s.%s" % (name, attribute)), value


def _registries() -> Iterator[Tuple[Tuple[str, str], object]]:
    for name in registries.registered():
        yield ("registered id", name), True


PARTS: Tuple[Callable[[], Iterator[Tuple[Tuple[str, str], object]]], ...] = (
    _environment,
    _system,
    _interpreter,
    _functions,
    _registries,
)


class _Imported:
    """The state of this process after its imports."""

    state: ClassVar[Dict[Tuple[str, str], object]] = {}


@contextlib.contextmanager
def importing() -> Iterator[None]:
    """Within, imports change the state, the doctor's own as well: that is the state which every
    process has, and no scenario is blamed for it.
    """
    before = read() if _Imported.state else {}
    yield
    now = read()
    for key in _different(before, now):
        _Imported.state.pop(key, None)
        _Imported.state.update({key: now[key]} if key in now else {})


def altered() -> List[str]:
    """Return what differs from the state after the imports; nothing where none was noted."""
    return changed(_Imported.state, read()) if _Imported.state else []
