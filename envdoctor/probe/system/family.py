"""The processes that this process is answerable for: its descendants, and the orphans that its
guard adopted.
"""

from __future__ import annotations

import importlib
import os
import time
from array import array
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Set

from envdoctor.probe.system import kernel

MAX_COMMAND = 200  # characters of a command line that are kept

RESOURCE_TRACKER = "from multiprocessing.resource_tracker import main"
FORK_SERVER = "from multiprocessing.forkserver import main"

_EXEC_TRIES, _EXEC_MOST, _EXEC_PAUSE = 10, 1000, 0.001  # seconds

#: What Podman starts beside each container, with the container's own processes below it.
MONITOR = "conmon"

_spared: Set[int] = set()
#: The containers that are known, as hashes, in room that is there before: memory that grows is what
#: others look for.
_containers = array("q", [0]) * 1024

_waitid = getattr(os, "waitid", None)  # an environment may replace it
_WALL = 0x40000000  # children of clone() without SIGCHLD, too
_LISTS_CHILDREN = os.path.exists("/proc/thread-self/children")  # not every kernel is built with it


class Process(NamedTuple):
    """One process: `name` is the kernel's, `text` a command line for people."""

    pid: int
    parent: int
    zombie: bool
    name: str
    text: str


def missing() -> str:
    """Return why descendants cannot be listed here, or "" when they can."""
    if kernel.HAS_PROC or _psutil() is not None:
        return ""
    return "needs Linux's /proc, or psutil in the target interpreter"


def family(guard: int = 0) -> List[Process]:
    """All descendants of this process, and all other descendants of `guard` (0: none).
    multiprocessing's own resource tracker and fork server are left out, the fork server's workers
    are not; nor what is spared, and what belongs to containers that are known as such.
    """
    processes = _from_proc(guard) if kernel.HAS_PROC else _from_psutil(guard)
    processes = _outside_containers(processes) if _containers[0] else processes
    if not _spared:
        return processes
    return [process for process in processes if not _spared & {process.pid, process.parent}]


def unreaped(guard: int = 0) -> Dict[str, int]:
    """{command line of a process: the number of its children that ended and that it did not wait
    for}; those of this process are not among them.
    """
    members = {process.pid: process for process in family(guard)}
    zombies = [process for process in members.values() if process.zombie]
    parents = [members[zombie.parent].text for zombie in zombies if zombie.parent in members]
    return {text: parents.count(text) for text in parents}


def know_containers(ids: Iterable[str]) -> None:
    """Until it is called again, processes of these containers are left out: who ends them has not
    removed the container.
    """
    at = -1
    for at, known in zip(range(len(_containers) - 1), ids):
        _containers[at] = hash(known)
    _containers[at + 1] = 0


def _outside_containers(processes: List[Process]) -> List[Process]:
    """A monitor says whose it is; parents come before their children."""
    inside: Set[int] = set()
    for process in processes:
        if process.parent in inside or _is_monitor(process.text):
            inside.add(process.pid)
    return [process for process in processes if process.pid not in inside]


def _is_monitor(text: str) -> bool:
    program, _, words = text.partition(" ")
    if not program.endswith(MONITOR):
        return False
    known = _containers[: _containers.index(0)]
    return any(hash(word) in known for word in words.split())


def spare(pid: int) -> None:
    """Leave a process out from now on, and its children, but not theirs: a framework's own that
    starts workers, and lives as long as this process.
    """
    _spared.add(pid)


def command(pid: int) -> str:
    """The command line of a process, as far as it is kept; empty where it is gone."""
    return _command(pid)[:MAX_COMMAND]


def name_of(pid: int) -> str:
    """The kernel's name of a process; empty where it is gone."""
    fields = _status(pid)
    return fields[0] if fields is not None else ""


def runs(pid: int) -> bool:
    """Return whether a process exists and has not ended, where /proc tells."""
    fields = _status(pid)
    return fields is not None and fields[1] not in "ZX"


def below(pid: int) -> List[int]:
    """The descendants of one process, where /proc tells."""
    if not kernel.HAS_PROC:
        return []
    children = _children if _LISTS_CHILDREN else _scanned_children()
    waiting = children(pid)
    for child in waiting:  # grows while it is walked
        waiting += children(child)
    return waiting


def listed_below(pid: int) -> List[int]:
    """Processes below, where the kernel lists them: to scan all takes too long for a clock."""
    return below(pid) if _LISTS_CHILDREN else []


def _from_proc(guard: int) -> List[Process]:
    children = _children if _LISTS_CHILDREN else _scanned_children()
    own = os.getpid()
    waiting = children(own)
    if guard:
        waiting += [pid for pid in children(guard) if pid != own]
    commands = {own: _command(own)} if waiting else {}
    processes: Dict[int, Process] = {}
    for pid in waiting:  # grows while it is walked
        process = _look(pid, commands, guard)
        if process is not None and pid not in processes:
            processes[pid] = process
            waiting += children(pid)
    return [process for process in processes.values() if process.text]


def _children(pid: int) -> List[int]:
    """Children belong to the thread that started them, so every thread is asked."""
    if pid == os.getpid() and not _has_children():
        return []
    folder = "/proc/%d/task/" % pid
    return [
        int(child)
        for thread in kernel.names(folder)
        for child in kernel.read(folder + thread + "/children").split()
    ]


def _has_children() -> bool:
    """Return whether this process has a child, of whichever of its threads: one call, where an
    environment that leaves hundreds of threads took as many files.
    """
    if _waitid is None:
        return True
    try:
        _waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT | _WALL)
    except ChildProcessError:
        return False
    except OSError:  # a kernel before 4.7 does not know the last flag
        return True
    return True


def _scanned_children() -> Callable[[int], List[int]]:
    by_parent: Dict[int, List[int]] = {}
    for name in kernel.names("/proc"):
        fields = _status(int(name)) if name.isdigit() else None
        if fields is not None:
            by_parent.setdefault(int(fields[2]), []).append(int(name))
    return lambda pid: list(by_parent.get(pid, ()))


def _status(pid: int) -> Optional[List[str]]:
    """Name, state and parent. The name is in brackets and may itself hold brackets and blanks."""
    start, bracket, rest = kernel.read("/proc/%d/stat" % pid).rpartition(")")
    return [start.partition("(")[2], *rest.split()[:2]] if bracket else None


def _look(pid: int, commands: Dict[int, str], guard: int) -> Optional[Process]:
    fields = _status(pid)
    if fields is not None and fields[1] not in "ZX":
        commands[pid] = _settled_command(pid)
        if not commands[pid]:  # it may have ended meanwhile
            fields = _status(pid)
    if fields is None:
        return None
    name, state, parent = fields[0], fields[1], int(fields[2])
    if state in "ZX":
        return Process(pid, parent, True, name, name)
    return Process(
        pid,
        parent,
        False,
        name,
        _text(name, commands[pid], commands.get(parent, ""), parent == guard),
    )


def _command(pid: int) -> str:
    return " ".join(kernel.read("/proc/%d/cmdline" % pid).replace("\0", " ").split())


def _settled_command(pid: int) -> str:
    """For a moment within exec() the command line is empty, and Popen() returns before: a new fork
    server would not be recognised, and a child's text would change between two readings.
    """
    for tries in range(_EXEC_MOST):
        command = _command(pid)
        if command:
            return command
        # On a busy machine it may be ready to go on for long before it does.
        if tries >= _EXEC_TRIES and (_status(pid) or ["", ""])[1] not in ("R", "D"):
            break
        time.sleep(_EXEC_PAUSE)
    return ""


def _text(name: str, command: str, parents: str, orphan: bool) -> str:
    """The command line for people; "" for multiprocessing's own helpers.

    A fork keeps the command line of its parent: a worker of the fork server would read as a
    second fork server, and be left out with it. An orphan with that command line is such a worker,
    too: its server has died.
    """
    if RESOURCE_TRACKER in command and RESOURCE_TRACKER not in parents:
        return ""
    if FORK_SERVER in command:
        return (
            "a worker of multiprocessing's fork server" if orphan or FORK_SERVER in parents else ""
        )
    if command and command == parents:
        return "%s (forked, no program of its own)" % name
    return command[:MAX_COMMAND] or name


def _psutil() -> Any:
    try:
        return importlib.import_module("psutil")
    except ImportError:
        return None


def _from_psutil(guard: int) -> List[Process]:
    psutil = _psutil()
    own = os.getpid()
    roots = psutil.Process(own).children(recursive=True)
    if guard:
        ours = {own, *(process.pid for process in roots)}
        roots += [
            process
            for process in psutil.Process(guard).children(recursive=True)
            if process.pid not in ours
        ]
    processes = []
    for process in roots:
        try:
            zombie = process.status() == psutil.STATUS_ZOMBIE
            name, parent = process.name(), process.ppid()
            command = "" if zombie else " ".join(process.cmdline())
        except psutil.Error:
            continue
        if zombie or not (RESOURCE_TRACKER in command or FORK_SERVER in command):
            text = command[:MAX_COMMAND] or name
            processes.append(Process(process.pid, parent, zombie, name, text))
    return processes
