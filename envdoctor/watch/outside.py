"""Linux: what a process holds, as /proc tells it, without a word to the process."""

from __future__ import annotations

import os
import re
import time

from envdoctor.model import process_memory
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.training_growth import Filling
from envdoctor.run.supervise import proc

_SEGMENT = re.compile(r" (/dev/shm/[^\n]*|/SYSV\w+)")
_MAPPING = re.compile(
    r"^([0-9a-f]+)-[0-9a-f]+ \S+ \S+ 00:00 0 *\n"
    r"Size: +(\d+) kB\n(?:(?!Rss:)[^\n]*\n)*Rss: +(\d+) kB",
    re.MULTILINE,
)
_WAITS = re.compile(r"^voluntary_ctxt_switches:\s+(\d+)", re.MULTILINE)
_WRITES = re.compile(r"^syscw: (\d+)", re.MULTILINE)
_TICKS = slice(11, 13)  # in user and in kernel mode, among the fields of `stat` after the name
_READS = 4  # of what the main thread does now: its timer and ours often end at the same moment
_BETWEEN = 0.0003  # seconds
_KINDS = ("pipe:", "socket:")
_PAGE = os.sysconf("SC_PAGE_SIZE")
LARGE = 32 << 20  # bytes of a mapping that is worth a word
UNTOUCHED = 8  # the part that is not touched yet: less is the last arena of Python's own heap


@dataclass(frozen=True)
class Outside:
    """Counts of one process. What could not be read is None."""

    descriptors: int | None = None
    threads: int | None = None
    children: int | None = None
    segments: int | None = None
    rss: int = 0
    size: int = 0  # pages of its address space
    pipes: int | None = None  # among the descriptors
    sockets: int | None = None

    @property
    def mapped(self) -> int | None:
        """Bytes of its address space; None where it was not read."""
        return self.size * _PAGE or None


def outside(pid: int, earlier: Outside | None = None) -> Outside:
    """Look at a process; it is empty where it is gone or not ours to look into. Its segments are
    what they were at an earlier look where its address space has the size that it had then: a list
    of all mappings costs the kernel more than all the rest. So are the kinds of as many
    descriptors.
    """
    folder = f"/proc/{pid}"
    try:
        names = os.listdir(f"{folder}/fd")
        threads = os.listdir(f"{folder}/task")
        children = sum(
            len(proc.read(f"{folder}/task/{thread}/children").split()) for thread in threads
        )
        size, resident = map(int, proc.read(f"{folder}/statm").split()[:2])
    except (OSError, ValueError):
        return Outside()
    if earlier is not None and earlier.size == size:
        segments = earlier.segments
    else:
        segments = len(set(_SEGMENT.findall(proc.read(f"{folder}/maps"))))
    if earlier is not None and earlier.descriptors == len(names):
        pipes, sockets = earlier.pipes, earlier.sockets
    else:
        targets = [proc.target(f"{folder}/fd/{name}") for name in names]
        pipes, sockets = (sum(target.startswith(kind) for target in targets) for kind in _KINDS)
    held = (len(names), len(threads), children, segments)
    return Outside(*held, resident * _PAGE, size, pipes, sockets)


class Outsides:
    """Looks at processes, each with what an earlier look at it gave."""

    def __init__(self) -> None:
        self._earlier: dict[int, Outside] = {}

    def look(self, pid: int) -> Outside:
        """Look at a process."""
        self._earlier[pid] = result = outside(pid, self._earlier.get(pid))
        return result


@dataclass(frozen=True)
class Touched:
    """Large anonymous mappings at one moment: {where they begin: (bytes, of them touched)}."""

    t: float
    mappings: dict[str, tuple[int, int]]

    def filling_since(self, earlier: Touched) -> Filling | None:
        """The largest of those that are touched bit by bit."""
        fillings = [
            Filling(size, now, (now - earlier.mappings[place][1]) / (self.t - earlier.t))
            for place, (size, now) in self.mappings.items()
            if place in earlier.mappings
            and earlier.mappings[place][0] == size
            and earlier.mappings[place][1] < now < size
            and size - earlier.mappings[place][1] > size // UNTOUCHED
        ]
        return max(fillings, key=lambda filling: filling.size, default=None)


def touched(pid: int, t: float) -> Touched:
    """Look at the mappings of a process."""
    result = {
        place: (int(size) << 10, int(resident) << 10)
        for place, size, resident in _MAPPING.findall(proc.read(f"/proc/{pid}/smaps"))
    }
    return Touched(t, {place: item for place, item in result.items() if item[0] >= LARGE})


@dataclass(frozen=True)
class Pulse:
    """The waits of the main thread of a process, its seconds of CPU, and the writes of the process,
    so far. The main thread sleeps for a time right now, or waits for something else; None where it
    ran, or was ready to: a busy machine keeps it so. `threads` are the kernel's ids of all.
    """

    waits: int
    writes: int
    is_asleep: bool | None = None
    cpu: float = 0.0
    threads: tuple[int, ...] = ()


def pulse(pid: int) -> Pulse | None:
    """Look at a process; None where it is gone or not ours to look into."""
    from envdoctor.run.supervise._linux_blocked import NAMES, SLEEP  # not in a short training

    task = f"/proc/{pid}/task/{pid}"
    waits = _WAITS.search(proc.read(f"{task}/status"))
    writes = _WRITES.search(proc.read(f"/proc/{pid}/io"))
    is_asleep = None
    for _ in range(_READS):
        call = proc.read(f"{task}/syscall").split()[:1]
        if call and call[0].isdigit():
            is_asleep = NAMES.get(int(call[0])) in SLEEP
        if is_asleep:
            break
        time.sleep(_BETWEEN)
    ticks = proc.read(f"{task}/stat").rpartition(")")[2].split()[_TICKS]
    if not (waits and writes and ticks):
        return None
    cpu = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return Pulse(int(waits[1]), int(writes[1]), is_asleep, cpu, _threads(pid))


def _threads(pid: int) -> tuple[int, ...]:
    try:
        return tuple(sorted(map(int, os.listdir(f"/proc/{pid}/task"))))
    except OSError:
        return ()


def written(pid: int) -> int:
    """Bytes that a process has written; -1 where it is gone or not ours to read."""
    return process_memory.written(proc.read(f"/proc/{pid}/smaps_rollup"))


def collector_of(pid: int) -> str:
    """Return what has a collector of its own for the memory of a process: "Java", or nothing."""
    program = f"/proc/{pid}/exe"
    try:
        with open(program, "rb", buffering=0) as file:
            head = file.read(process_memory.HEADERS)
        maps = proc.read(f"/proc/{pid}/maps").splitlines()
        return process_memory.collector((os.readlink(program), *maps), head)
    except OSError:
        return ""
