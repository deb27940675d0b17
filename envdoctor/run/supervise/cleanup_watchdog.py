"""The cleanup watchdog: a small process that stands beside a run and outlives a doctor that is
killed.

Run as words_of() of guard.py says, with PIPE DIRECTORY, and the standard library only. A byte on
the pipe means that the doctor has removed all by itself. Its end of file means that the doctor is
dead: then the guards end what runs, and this removes what lies about: DIRECTORY, the shared
memory that its probes are known to have used, and the containers that they asked for. The guards
could not do it: there are moments in which none is there. At its own start it removes what earlier
runs left whose watchdogs were killed, too.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # the module `typing` would double the start-up
if TYPE_CHECKING:
    from collections.abc import Iterator

GUARDS_SECONDS = 60.0  # longest wait for the guards, and for what they killed on a busy machine
PAUSE = 0.01  # seconds between two looks
OTHERS_PAUSE = 0.5
OWN = 2  # owners of a directory that are the doctor and this watchdog
PREFIX = "envdoctor-"  # of the names of run directories
SHARED = "/dev/shm"  # noqa: S108  looked into
OWNERS = "owner"  # owner.py has it, which is not imported
BEFORE = "before"  # the file that names the shared memory of others


def main(argv: list[str]) -> None:
    """Wait for the doctor's word, or its death."""
    pipe, directory = int(argv[1]), argv[2]
    ignore_requests()
    remove_abandoned(directory)
    if not os.read(pipe, 1):
        bury(directory)
    os._exit(0)  # without a last look at what never was much


def ignore_requests() -> None:
    """A batch system that asks all processes of a job to end asks the doctor, too: no other process
    has to go before it.
    """
    # The module `signal` is this one with names for its numbers, which would double the start-up.
    import _signal  # type: ignore[import-not-found, unused-ignore]

    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
        _signal.signal(number, _signal.SIG_IGN)


def write_before(directory: str) -> None:
    """In the doctor, before any probe is: write down the shared memory that is there. Of a folder,
    its own entry suffices. The watchdog itself may begin late. Raises OSError.
    """
    names = os.listdir(SHARED) if os.path.isdir(SHARED) else []
    with open(os.path.join(directory, BEFORE), "w") as file:
        file.writelines(f"{SHARED}/{name}\n" for name in names)


def remove_abandoned(directory: str) -> None:
    """Remove what earlier runs left beside this one's directory. Most of the time nothing is there
    but runs that go on, and nothing is imported.
    """
    parent, own = os.path.split(directory)
    try:
        others = [name for name in os.listdir(parent) if name.startswith(PREFIX) and name != own]
        if not all(has_owner(os.path.join(parent, name, OWNERS)) for name in others):
            find_ourselves()
            from envdoctor.run.supervise import abandoned

            abandoned.remove_abandoned(parent, PREFIX)
    except (OSError, ImportError):
        return


def has_owner(path: str) -> bool:
    """Return whether one of the processes that a mark names goes on, as far as its text says so: to
    read it with owner.py takes six times as long as all else here.
    """
    try:
        with open(path) as file:
            entries = file.read().split("{")[1:]
    except (OSError, ValueError):
        return False
    for entry in entries:
        pid, start = (_value(entry, name).strip('" ') for name in ("pid", "start"))
        try:
            with open("/proc/%s/stat" % pid) as file:
                fields = file.read().rpartition(")")[2].split()
        except (OSError, ValueError):
            continue
        if start in fields[19:20] and fields[0] not in "ZX":
            return True
    return False


def _value(entry: str, name: str) -> str:
    """The text of one value in an object of JSON, up to the next comma."""
    return entry.partition('"%s":' % name)[2].partition(",")[0]


def bury(directory: str) -> None:
    """Remove what a killed doctor leaves, once the guards have ended what might still write."""
    find_ourselves()
    from envdoctor.run.supervise.abandoned import end_processes_of
    from envdoctor.run.supervise.engine_containers import remove_containers_below
    from envdoctor.run.supervise.guard import named_in, remove, testify
    from envdoctor.run.supervise.owner import ALIVE, MARK, read_mark

    # A training goes on without its doctor, and another command may show it.
    others = (read_mark(os.path.join(directory, MARK)) or [])[OWN:]
    while any(other.state == ALIVE for other in others):
        time.sleep(OTHERS_PAUSE)
    deadline = time.monotonic() + GUARDS_SECONDS
    while (survivors := named_in(directory) - {os.getpid()}) and time.monotonic() < deadline:
        time.sleep(PAUSE)
    if survivors:  # its guard was killed, too
        testify(directory, sorted(survivors))
        end_processes_of(directory)
    try:
        remove_shared_memory(directory)
        remove_containers_below(directory)
    finally:
        remove(directory)


def remove_shared_memory(directory: str) -> None:
    """As the doctor would have: what is new, known to have been used below `directory`, and
    held by no process. Nothing where the doctor could not write down what is new.
    """
    from envdoctor.run.supervise.guard import HELD
    from envdoctor.run.supervise.journal_reader import decode
    from envdoctor.run.supervise.leftovers import SharedMemory

    before = names_in(directory, BEFORE)
    if before is None:
        return
    memory = SharedMemory(before)
    for path in journals(directory):
        with open(path, "rb") as file:
            memory.learn((), filter(None, map(decode, file)))
    memory.add(names_in(directory, HELD) or ())
    memory.remove()


def journals(directory: str) -> Iterator[str]:
    """Those of every session of the run."""
    for folder, folders, files in os.walk(directory):
        # What the environment itself writes is none.
        folders[:] = [name for name in folders if name not in ("tmp", "cwd")]
        yield from (os.path.join(folder, name) for name in files if name.endswith(".jsonl"))


def names_in(directory: str, name: str) -> set[str] | None:
    """Return the names in a file of the run's directory; None where it is not there."""
    try:
        with open(os.path.join(directory, name)) as file:
            return set(file.read().splitlines())
    except OSError:
        return None


def find_ourselves() -> None:
    """Only now is anything of envdoctor imported, and of an interpreter without site-packages."""
    sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..")))
