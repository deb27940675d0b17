"""Linux: files into which a training writes through several openings at once, as /proc shows them,
without a word to its processes.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import stat
import time
from collections.abc import Iterable, Iterator

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.training_files import WrittenFile
from envdoctor.run.supervise import proc

FIRST, LAST, SHARE = 0.1, 10.0, 0.02  # seconds between two looks; of the time so far
COST = 50  # times what a look took, before the next one
MOST = 32  # processes that are looked at
OTHER_ROOTS = ("/dev/", "/proc/", "/sys/")
GONE = " (deleted)"

_INFO = re.compile(r"^pos:\s*(\d+)\nflags:\s*([0-7]+)", re.MULTILINE)
_KCMP = {"x86_64": 312, "aarch64": 272}.get(platform.machine())
_KCMP_FILE = 0


@dataclass(frozen=True)
class _Opening:
    """A descriptor of a process into which it has written, and not at the end of the file."""

    pid: int
    descriptor: int
    path: str


class WrittenFiles:
    """Those that were seen so far, each as it was when most wrote to it; and the looks that a
    verdict rests on.
    """

    def __init__(self) -> None:
        self.looks = 0
        self._written: dict[str, WrittenFile] = {}
        self._next = 0.0

    @property
    def written(self) -> tuple[WrittenFile, ...]:
        """The files with more than one opening."""
        return tuple(self._written.values())

    def look(self, pids: Iterable[int], now: float) -> None:
        """Look at the files of some processes, if it is time to, `now` seconds after the training
        began.
        """
        pids = sorted(pids)[:MOST]
        if now < self._next or not pids:
            return
        began = time.thread_time()
        self.looks += 1
        by_file: dict[tuple[int, int], list[_Opening]] = {}
        for pid in pids:
            for file, opening in _openings(pid):
                by_file.setdefault(file, []).append(opening)
        for openings in by_file.values():
            self._take(_of_their_own(openings))
        pause = min(LAST, max(FIRST, SHARE * now))
        self._next = now + max(pause, COST * (time.thread_time() - began))

    def _take(self, openings: list[_Opening]) -> None:
        path, known = openings[0].path, self._written.get(openings[0].path)
        if len(openings) > max(1, known.openings if known else 0):
            pids = sorted({each.pid for each in openings})
            self._written[path] = WrittenFile(path, len(openings), tuple(pids))


def _openings(pid: int) -> Iterator[tuple[tuple[int, int], _Opening]]:
    """Descriptors that write, each with the device and the number of its file. What writes at the
    end only (mode "a"), also reads (a database), or has not written yet (a lock) is left out.
    """
    for name in proc.names(f"/proc/{pid}/fd"):
        link = f"/proc/{pid}/fd/{name}"
        path = proc.target(link)
        if not path.startswith("/") or path.startswith(OTHER_ROOTS) or path.endswith(GONE):
            continue
        info = _INFO.search(proc.read(f"/proc/{pid}/fdinfo/{name}"))
        flags = int(info[2], 8) if info else 0
        if not info or not int(info[1]) or flags & os.O_ACCMODE != os.O_WRONLY:
            continue
        if flags & os.O_APPEND:
            continue
        try:
            file = os.stat(link)
        except OSError:
            continue
        if stat.S_ISREG(file.st_mode):
            yield (file.st_dev, file.st_ino), _Opening(pid, int(name), path)


def _of_their_own(openings: list[_Opening]) -> list[_Opening]:
    """Of some descriptors for one file, one for each time that it was opened: those that a fork or
    dup() copied write one after the other. The first alone where the kernel does not tell.
    """
    result = openings[:1]
    for opening in openings[1:]:
        if all(_differ(opening, each) for each in result):
            result.append(opening)
    return result


def _differ(first: _Opening, other: _Opening) -> bool:
    if _KCMP is None:
        return False
    words = first.pid, other.pid, _KCMP_FILE, first.descriptor, other.descriptor
    answer: int = ctypes.CDLL(None).syscall(_KCMP, *words)
    return answer > 0  # 0: the same; -1: it cannot be told
