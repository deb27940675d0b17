"""Checks that this process can be forked and each child is like a new process after the same
imports; Linux only.
"""

from __future__ import annotations

import os
import re
import signal
import stat
import sys
import threading
from typing import Collection, Iterator, List, NamedTuple, Optional

from envdoctor.probe import loaded
from envdoctor.probe.system import family, kernel

#: Packages whose processes must not be forked once they were imported, because they start threads
#: that hold locks.
MUST_NOT_FORK = ("grpc", "jax", "jaxlib", "ray", "tensorflow")
SIZE = 256  # rows of matrices whose product is worth all the threads of a linear algebra library
_POSITION = re.compile(r"pos:\s*(\d+)\s+flags:\s*(\d+)")
TIMERS = ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF")


def forbidden(modules: Collection[str]) -> str:
    """Return why a process with these modules must not be forked, or nothing."""
    names = [name for name in MUST_NOT_FORK if name in modules]
    return "%s must not be forked" % names[0] if names else ""


def objection(known: Collection[int]) -> str:
    """Return why children of this process would not be like new ones; nothing where they are.
    `known` are descriptors that each child replaces or closes.
    """
    return next(_objections(known), "")


def _objections(known: Collection[int]) -> Iterator[str]:
    if forbidden(sys.modules):
        yield forbidden(sys.modules)
    others = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    if others:
        yield "the Python thread '%s' runs after the imports" % others[0].name
    if family.below(os.getpid()):
        yield "the imports started a process"
    opened = _opened(known)
    if opened:
        yield "the imports opened %s" % opened
    if any(" rw-s " in line for line in kernel.read("/proc/self/maps").splitlines()):
        yield "the imports mapped shared memory"
    if any(signal.getitimer(getattr(signal, name))[0] for name in TIMERS):
        yield "the imports set a timer"


def _opened(known: Collection[int]) -> Optional[str]:
    """A descriptor's target that a child would share with this process; None where there is none.
    A file that is only read is opened anew.
    """
    for number, target in sorted(kernel.descriptors(os.getpid()).items()):
        if int(number) > 2 and int(number) not in known and read_file(int(number)) is None:
            return str(target)
    return None


class ReadFile(NamedTuple):
    """A file that is open for reading: `flags` are those of open(), `offset` is in bytes."""

    number: int
    path: str
    flags: int
    offset: int

    def open_anew(self) -> None:
        """Replace it in a child, which would move the offset of its parent."""
        number = os.open(self.path, self.flags)
        os.lseek(number, self.offset, os.SEEK_SET)
        os.dup2(number, self.number, inheritable=False)
        os.close(number)


def read_file(number: int) -> Optional[ReadFile]:
    """The file behind a descriptor, if it is one that can be opened again, for reading only."""
    try:
        path = os.readlink("/proc/self/fd/%d" % number)
        status, there = os.fstat(number), os.stat(path)
    except OSError:
        return None
    position = _POSITION.match(kernel.read("/proc/self/fdinfo/%d" % number))
    if position is None:
        return None
    offset, flags = int(position[1]), int(position[2], 8)
    same = (status.st_dev, status.st_ino) == (there.st_dev, there.st_ino)
    if not same or not stat.S_ISREG(status.st_mode) or flags & os.O_ACCMODE != os.O_RDONLY:
        return None
    return ReadFile(number, path, os.O_RDONLY | os.O_CLOEXEC, offset)


def read_files(known: Collection[int]) -> List[ReadFile]:
    """The files that this process reads, besides what is known."""
    numbers = [int(number) for number in kernel.descriptors(os.getpid())]
    files = [read_file(number) for number in numbers if number > 2 and number not in known]
    return [file for file in files if file is not None]


def native_threads() -> int:
    """Return the number of threads that the kernel counts in this process."""
    return len(kernel.names("/proc/self/task/"))


def start_native_threads() -> None:
    """Have the libraries for linear algebra start their threads, which a fork does not take along:
    in a new process they are there as soon as the library is imported.
    """
    numpy, scipy = loaded.module("numpy"), loaded.module("scipy.linalg.blas")
    if numpy is None:
        return
    matrix = numpy.ones((SIZE, SIZE))
    numpy.dot(matrix, matrix)
    if scipy is not None:  # it brings a library of its own
        scipy.dgemm(1.0, matrix, matrix)


def threads_come_back() -> bool:
    """Return whether a child has as many threads as this process, once those were started anew."""
    here = native_threads()
    if here == 1:
        return True
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    try:
        start_native_threads()
        os._exit(0 if native_threads() == here else 1)
    finally:
        os._exit(1)
