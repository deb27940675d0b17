"""Ports that this process or a descendant listens on."""

from __future__ import annotations

import os
from typing import Dict

from envdoctor.probe import family, kernel, sockets
from envdoctor.probe.sensors import Context

NAME = "ports"


def missing() -> str:
    """Why listening sockets cannot be told here, or ""."""
    return "" if kernel.HAS_PROC else kernel.NO_PROC


def read(context: Context) -> Dict[str, str]:
    """{address: who}."""
    listeners = sockets.listeners()
    found: Dict[str, str] = {}
    if not listeners:
        return found
    for pid in [os.getpid()] + [process.pid for process in family.family(context.guard)]:
        for target in kernel.descriptors(pid).values():
            address = listeners.get(sockets.inode_of(target))
            if address:
                found.setdefault(address, "pid %d" % pid)
    return found
