"""Reads /proc cheaply: no buffered file objects, and what has gone meanwhile reads as nothing."""

from __future__ import annotations

import os
import sys
from typing import Dict, List

HAS_PROC = sys.platform.startswith("linux") and os.path.exists("/proc/self/stat")

NO_PROC = "needs Linux's /proc"

_CHUNK = 1 << 16  # bytes a read


def read(path: str) -> str:
    """The text of a small file, or "" when it is gone or not ours to read."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    chunks: List[bytes] = []
    try:
        while True:
            chunk = os.read(descriptor, _CHUNK)
            if not chunk:
                break
            chunks.append(chunk)
    except OSError:  # a process can end between open and read (ESRCH)
        pass
    finally:
        os.close(descriptor)
    return os.fsdecode(b"".join(chunks))


def names(path: str) -> List[str]:
    """Names in a folder, or nothing when it is gone or not ours to read."""
    try:
        return os.listdir(path)
    except OSError:
        return []


def descriptors(pid: int) -> Dict[str, str]:
    """{number: what it points at} of one process. The descriptor that lists the folder is closed
    before its link is read, so it is not among them.
    """
    folder = "/proc/%d/fd/" % pid
    targets = {}
    for number in names(folder):
        try:
            targets[number] = os.readlink(folder + number)
        except OSError:
            continue
    return targets
