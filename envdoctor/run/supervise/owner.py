"""Owners of things on a disk: processes, known by more than their numbers.

Process numbers are used again, machines start again, and containers count processes of their own.
Standard library only: the cleanup watchdog reads marks, too.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict
from functools import cache

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.run.supervise import proc

#: What is known of an owner from here.
ALIVE, DEAD, OTHER_MACHINE = "alive", "dead", "elsewhere"
MARK = "owner"  # the file in a directory that names its owners
MACHINE_ID = "/etc/machine-id"


@dataclass(frozen=True)
class Owner:
    """A process of `user`: `start` is when it began, `boot` the start of its machine, `room` the
    namespace in which its number counts.
    """

    pid: int
    start: str
    boot: str
    room: str
    machine: str
    user: int

    @property
    def state(self) -> str:
        """The owner's state; `OTHER_MACHINE` where that cannot be known on this machine."""
        here = _here()
        if self.boot != here.boot:
            return DEAD if self.machine and self.machine == here.machine else OTHER_MACHINE
        if self.room != here.room:
            return OTHER_MACHINE
        return ALIVE if self.start and started(self.pid) == self.start else DEAD

    @property
    def is_ours(self) -> bool:
        """True if it is a process of this user."""
        return self.user == os.getuid()


def owner_of(pid: int) -> Owner:
    """The mark of a process of this user on this machine."""
    here = _here()
    return Owner(pid, started(pid), here.boot, here.room, here.machine, os.getuid())


def write_mark(directory: str, owners: list[Owner]) -> None:
    """Name the owners of a directory in it: it belongs to them until the last one is dead."""
    text = json.dumps([asdict(owner) for owner in owners])
    path = os.path.join(directory, MARK)
    with open(f"{path}.part", "w", encoding="ascii") as file:
        file.write(text)
    os.replace(f"{path}.part", path)


def read_mark(path: str) -> list[Owner] | None:
    """The owners that a file names; None where it names none."""
    try:
        with open(path, encoding="ascii") as file:
            return [Owner(**entry) for entry in json.load(file)]
    except (OSError, ValueError, TypeError):
        return None


def is_abandoned(owners: list[Owner] | None) -> bool:
    """Return True if all owners were processes of this user on this machine, and are dead."""
    return bool(owners) and all(owner.is_ours and owner.state == DEAD for owner in owners or ())


def started(pid: int) -> str:
    """Return the start time of a process, in a form that is compared only; empty when it is
    gone.
    """
    if not os.path.exists("/proc/self/stat"):
        return " ".join(_asked("ps", "-p", str(pid), "-o", "lstart=").split())
    # A program's name is in parentheses and may itself hold spaces and parentheses.
    fields = proc.read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 and fields[0] not in "ZX" else ""


@cache
def _here() -> Owner:
    """Return the values that all processes of this machine share that can see each other."""
    boot = proc.read("/proc/sys/kernel/random/boot_id").strip() or _asked(
        "sysctl", "-n", "kern.boottime"
    )
    room = ""
    with suppress(OSError):
        room = os.readlink("/proc/self/ns/pid")
    machine = f"{os.uname().nodename} {proc.read(MACHINE_ID).strip()}"
    return Owner(0, "", boot, room, machine, os.getuid())


def _asked(*words: str) -> str:
    import subprocess  # without /proc only

    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(words, capture_output=True, text=True, timeout=5, check=False)
        return done.stdout.strip()
    return ""
