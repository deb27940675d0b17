"""Files that a storage leaves."""

from __future__ import annotations

import os
import time
from typing import Callable, Dict, List

from envdoctor.probe.system import kernel
from envdoctor.probe.system.deadline import Deadline

MOST = 200  # files that are named
PATIENCE = 5.0  # seconds for a child that ends itself
PAUSE = 0.01


def files(folder: str) -> Dict[str, int]:
    """{path: bytes on the disk} of all files below a folder."""
    sizes = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            try:
                sizes[path] = os.lstat(path).st_blocks * 512
            except OSError:  # it went meanwhile
                continue
    return sizes


def mapped(folder: str) -> List[str]:
    """The files below a folder that are mapped into the memory of this process, the first few
    of very many.
    """
    paths: Dict[str, None] = {}
    for line in kernel.read("/proc/self/maps").splitlines() if kernel.HAS_PROC else ():
        path = line.partition(" /")[2]
        if ("/" + path).startswith(folder + "/"):
            paths["/" + path] = None
    return list(paths)[:MOST]


def in_child(play: Callable[[], object]) -> None:
    """Do it in a fork of this process that never comes back, and wait for its end."""
    child = os.fork()
    if child == 0:
        try:
            play()
        finally:
            os._exit(1)
    deadline = Deadline(PATIENCE)
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if deadline.passed:
            os.kill(child, 9)
            os.waitpid(child, 0)
            return
        time.sleep(PAUSE)
