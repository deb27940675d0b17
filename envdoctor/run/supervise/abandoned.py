"""Run directories, and processes of them, whose doctor and cleanup watchdog were both killed: the
next run of this user on this machine removes them. Standard library only.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from envdoctor.run.supervise import guard
from envdoctor.run.supervise.engine_containers import remove_containers_below
from envdoctor.run.supervise.owner import MARK, is_abandoned, read_mark

UNMARKED_SECONDS = 3600.0  # age from which an empty directory without a mark is abandoned
END_SECONDS = 5.0  # for what hangs in the kernel


def remove_abandoned(parent: str, prefix: str) -> None:
    """Remove the abandoned directories below `parent` whose names begin with `prefix`."""
    for path in _directories(parent, prefix):
        owners = read_mark(os.path.join(path, MARK))
        if owners is None:
            _remove_empty(path)
        elif is_abandoned(owners):
            end_processes_of(path)
            remove_containers_below(path)
            guard.remove(path)


def end_processes_of(directory: str) -> None:
    """End what a probe of that run directory started. Their environment names the file for their
    stacks, which lies in it.
    """
    token = b"\0ENVDOCTOR_STACKS=" + os.fsencode(directory) + b"/"
    deadline = time.monotonic() + END_SECONDS
    while time.monotonic() < deadline:
        pids = [row[0] for row in guard.processes() if not row[3] and token in _environment(row[0])]
        if not pids:
            return
        for pid in pids:
            guard.kill(pid, guard.SIGKILL)
        time.sleep(guard.KILL_PAUSE)


def _directories(parent: str, prefix: str) -> list[str]:
    try:
        with os.scandir(parent) as entries:
            return [
                entry.path
                for entry in entries
                if entry.name.startswith(prefix)
                and entry.is_dir(follow_symlinks=False)
                and entry.stat(follow_symlinks=False).st_uid == os.getuid()
            ]
    except OSError:
        return []


def _remove_empty(path: str) -> None:
    """One whose doctor was killed before it could name itself holds nothing."""
    with suppress(OSError):
        if time.time() - os.stat(path).st_mtime > UNMARKED_SECONDS:
            os.rmdir(path)


def _environment(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return b"\0" + file.read()
    except OSError:
        return b""
