"""Linux: everything is read from /proc, so it works on processes that hang."""

from __future__ import annotations

import ctypes
import errno
import os
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from envdoctor.model.waits import Wait
from envdoctor.run.supervise import _cgroup, folders, proc

PAGE = os.sysconf("SC_PAGE_SIZE")
MAX_TEXT = 200  # characters of a command line
SHARED = Path("/dev/shm")  # noqa: S108  looked into, not written to
IPC_RMID = 0
FALLOC_FL_KEEP_SIZE = 1

_MAPPED = re.compile(r"^\S+ \S+ \S+ \S+ (\d+) +(/dev/shm/.+|/SYSV\w+)", re.MULTILINE)

oom_kills = _cgroup.oom_kills


def missing() -> dict[str, str]:
    """Return what cannot be seen from outside here, with reasons, for DOC001."""
    reasons = {
        "/proc/self/stat": (
            "processes",
            "/proc is not mounted; what is left is found by psutil, if at all",
        ),
        str(SHARED): (
            "shared memory of the dead",
            f"{SHARED} is not mounted; what is there cannot be listed",
        ),
    }
    return dict(reason for path, reason in reasons.items() if not os.path.exists(path))


def describe(pid: int) -> str:
    """The command line of a process, or the name of one that has none; empty when it is gone."""
    text = (
        proc.read(f"/proc/{pid}/cmdline").replace("\0", " ").strip()
        or proc.read(f"/proc/{pid}/comm").strip()
    )
    return text[:MAX_TEXT]


def is_running(pid: int) -> bool:
    """Return True if a process exists and is more than a zombie."""
    stat = proc.read(f"/proc/{pid}/stat")
    return bool(stat) and stat[stat.rindex(")") + 2] not in "ZX"


def exit_code(pid: int) -> int | None:
    """Return the exit code of a process that was not waited for yet (negative: the signal); None
    for one that runs, or is gone.
    """
    stat = proc.read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return os.waitstatus_to_exitcode(int(stat[49])) if stat[:1] == ["Z"] else None


def pulse(pids: Iterable[int], besides: Collection[str] = ()) -> tuple[str, ...] | None:
    """Return values that change if a thread of some processes runs, `besides` some of them; None
    while one is ready to, or waits for a disk.
    """
    states = []
    for pid in pids:
        for thread in _threads(pid):
            if thread in besides:
                continue
            stat = proc.read(f"{thread}/stat").rpartition(")")[2].split()
            if stat[:1] in (["R"], ["D"]):
                return None
            states.append(
                " ".join((thread, *stat[:1], *stat[11:13], proc.read(f"{thread}/schedstat")))
            )
    return tuple(states)


def scheduled(pids: Iterable[int]) -> dict[str, tuple[int, int]]:
    """Of each thread of some processes, for how many nanoseconds it ran, and was ready to run while
    others did.
    """
    result = {}
    for pid in pids:
        for thread in _threads(pid):
            words = proc.read(f"{thread}/schedstat").split()
            if len(words) > 1:
                result[thread] = (int(words[0]), int(words[1]))
    return result


def transferred(pids: Iterable[int]) -> int:
    """Bytes that some processes, and the children that they waited for, read and wrote."""
    result = (
        re.findall(r"^[rw]char: (\d+)", proc.read(f"/proc/{pid}/io"), re.MULTILINE) for pid in pids
    )
    return sum(int(number) for numbers in result for number in numbers)


def ticking(pids: Iterable[int], known: Collection[str] = ()) -> dict[str, int]:
    """The threads of some processes, besides their main ones, that sleep for a time, or are `known`
    to and awake just now; and for how many nanoseconds each has run.
    """
    threads = [each for pid in pids for each in _threads(pid) if not each.endswith(f"/{pid}")]
    sleeping = [each for each in threads if _sleeps(each) or (each in known and _is_awake(each))]
    return {thread: _nanoseconds(thread) for thread in sleeping}


def _sleeps(thread: str) -> bool:
    from envdoctor.run.supervise import _linux_waits  # few runs need it

    pid, _, name = thread.split("/")[2:]
    return _linux_waits.sleeps(int(pid), name)


def _is_awake(thread: str) -> bool:
    return proc.read(f"{thread}/stat").rpartition(")")[2].split()[:1] == ["R"]


def _nanoseconds(thread: str) -> int:
    words = proc.read(f"{thread}/schedstat").split()
    return int(words[0]) if words else 0


def wakes_at(pids: Iterable[int], main: int | None, since: float) -> float | None:
    """The earliest moment at which a thread of some processes can run again; see `_linux_waits`."""
    from envdoctor.run.supervise import _linux_waits  # few runs have anything that hangs

    return _linux_waits.wakes_at(pids, main, since)


def wait_for_locks(pid: int) -> bool:
    """Return whether each thread of a process waits for a lock; see `_linux_blocked`."""
    from envdoctor.run.supervise import _linux_blocked

    return _linux_blocked.wait_for_locks(pid)


def blocked(pids: Iterable[int]) -> tuple[Wait, ...]:
    """Return what the threads of some processes wait for; see `_linux_blocked`."""
    from envdoctor.run.supervise import _linux_blocked  # few runs have anything that hangs

    return _linux_blocked.blocked(pids)


def _threads(pid: int) -> list[str]:
    """The folders of a process's threads."""
    folder = f"/proc/{pid}/task"
    try:
        return [f"{folder}/{name}" for name in os.listdir(folder)]
    except OSError:
        return []


def resident(pids: Iterable[int]) -> int:
    """Bytes of memory that processes hold, each for itself: what forks share is counted several
    times.
    """
    sizes = (proc.read(f"/proc/{pid}/statm").split() for pid in pids)
    return sum(int(size[1]) for size in sizes if size) * PAGE


def proportional(pids: Iterable[int]) -> int:
    """Bytes of memory that processes hold together: what is shared is counted once. Slower than
    `resident`.
    """
    matches = (
        re.search(r"^Pss: +(\d+) kB", proc.read(f"/proc/{pid}/smaps_rollup"), re.MULTILINE)
        for pid in pids
    )
    return sum(int(match[1]) for match in matches if match) * 1024


def available_memory() -> int:
    """Bytes that can still be taken here: of the machine or of the control group, whichever is
    less.
    """
    match = re.search(r"MemAvailable: +(\d+) kB", proc.read("/proc/meminfo"))
    free = int(match[1]) * 1024 if match else os.sysconf("SC_PHYS_PAGES") * PAGE
    group = _cgroup.available()
    return free if group is None else min(free, group)


def catches(pid: int, number: int) -> bool:
    """Return True if a process has a handler for a signal: to one without, the signal is death."""
    match = re.search(r"^SigCgt:\s*([0-9a-f]+)", proc.read(f"/proc/{pid}/status"), re.MULTILINE)
    return match is not None and bool(int(match[1], 16) >> (number - 1) & 1)


def shared_memory() -> dict[str, str]:
    """Every shared memory object of this user that outlives its processes: {"/dev/shm/name" or
    "sysv 17": its size}.
    """
    return {**_posix_memory(), **{f"sysv {row[1]}": f"{row[3]} bytes" for row in _system_v()}}


def shared_memory_of(pids: Iterable[int]) -> set[str]:
    """The shared memory objects that processes have mapped or open. The kernel names a semaphore by
    the temporary name under which it was made, so it is known by its inode.
    """
    names = _names_by_inode()
    return {name for pid in pids for name in (*_mapped_by(pid, names), *_opened_by(pid))}


def remove_shared_memory(name: str) -> None:
    """Remove one shared memory object by the name that `shared_memory` gave it."""
    if name.startswith("sysv "):
        ctypes.CDLL(None).shmctl(int(name.split()[1]), IPC_RMID, None)
        return
    with suppress(OSError):
        os.unlink(name)


def reserve(path: str, size: int) -> bool:
    """Have the disk keep so many bytes for a file, which does not become longer by that: what is
    appended finds room on a full disk. Whether there was room; file systems that cannot do it
    are taken to have some.
    """
    descriptor = os.open(path, os.O_WRONLY)
    try:
        failed = ctypes.CDLL(None, use_errno=True).fallocate(
            descriptor, FALLOC_FL_KEEP_SIZE, ctypes.c_int64(0), ctypes.c_int64(size)
        )
        return not (failed and ctypes.get_errno() in (errno.ENOSPC, errno.EDQUOT))
    finally:
        os.close(descriptor)


def all_pids() -> list[int]:
    """Every process of the machine."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _posix_memory() -> dict[str, str]:
    return {
        entry.path: f"{entry.size} bytes"
        for entry in folders.below(SHARED)
        if entry.size is not None and entry.owner == os.getuid()
    }


def _system_v() -> list[list[str]]:
    """Rows of /proc/sysvipc/shm that are ours: key, shmid, perms, size, cpid, lpid, nattch,
    uid...
    """
    rows = [line.split() for line in proc.read("/proc/sysvipc/shm").splitlines()[1:]]
    return [row for row in rows if row[7] == str(os.getuid())]


def _names_by_inode() -> dict[str, list[str]]:
    """{inode: paths} of what lies in /dev/shm now. A semaphore that is being made has its temporary
    name and its own.
    """
    names: dict[str, list[str]] = {}
    with suppress(OSError), os.scandir(SHARED) as entries:
        for entry in entries:
            names.setdefault(str(entry.inode()), []).append(entry.path)
    return names


def _mapped_by(pid: int, names: Mapping[str, list[str]]) -> list[str]:
    """From its maps; a System V segment stands there as /SYSVkey, with its id in the place of
    the inode.
    """
    result = _MAPPED.findall(proc.read(f"/proc/{pid}/maps"))
    return [
        name
        for inode, path in result
        for name in (
            names.get(inode, [path]) if path.startswith(str(SHARED)) else [f"sysv {inode}"]
        )
    ]


def _opened_by(pid: int) -> list[str]:
    folder = f"/proc/{pid}/fd"
    result: list[str] = []
    with suppress(OSError):  # gone meanwhile, or not ours to look into
        result.extend(os.readlink(f"{folder}/{name}") for name in os.listdir(folder))
    return [target for target in result if target.startswith(f"{SHARED}/")]
