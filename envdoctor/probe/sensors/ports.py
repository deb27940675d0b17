"""Ports that this process or a descendant listens on."""

from __future__ import annotations

import os
from typing import Dict

from envdoctor.probe.sensors import Context
from envdoctor.probe.system import family, kernel, sockets

NAME = "ports"


def missing() -> str:
    """Return why listening sockets cannot be listed here, or ""."""
    return "" if kernel.HAS_PROC else kernel.NO_PROC


def read(context: Context) -> Dict[str, str]:
    """{address: who}."""
    owners = _owners(context)
    if not owners:
        return {}
    listeners = sockets.listeners(owners)
    return {listeners[inode]: "pid %d" % pid for inode, pid in owners.items() if inode in listeners}


def _owners(context: Context) -> Dict[str, int]:
    """{inode of a socket: the process that has it}, this one rather than the workers that
    inherited it.
    """
    owners: Dict[str, int] = {}
    for pid in [os.getpid()] + [process.pid for process in family.family(context.guard)]:
        for target in kernel.descriptors(pid).values():
            inode = sockets.inode_of(target)
            if inode:
                owners.setdefault(inode, pid)
    return owners
