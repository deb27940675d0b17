"""To which services this process and what it started are connected, and who listens there."""

from __future__ import annotations

import os
from typing import Dict, Iterable, List, NamedTuple, Set

from envdoctor.probe.system import family, kernel, sockets

MOST = 20  # addresses


class SocketConnection(NamedTuple):
    """A TCP connection that was made to an `address`; `listener` is the command line of the process
    that listens there, where that is of this machine and visible.
    """

    address: str
    listener: str


def to_others(guard: int) -> List[SocketConnection]:
    """The connections that were made from here to processes that were not started from here."""
    if not kernel.HAS_PROC:
        return []
    pids = [os.getpid(), *(process.pid for process in family.family(guard) if not process.zombie)]
    own = _inodes(pids)
    if not own:
        return []
    table = sockets.tcp(own)
    addresses = {at.there: is_local(at) for at in outgoing(table, own)}
    listening = {at.inode: at.here for at in table if at.listens and at.inode not in own}
    return [
        SocketConnection(address, _listener(address, listening) if addresses[address] else "")
        for address in sorted(addresses)[:MOST]
    ]


def outgoing(table: Iterable[sockets.Socket], own: Set[str]) -> List[sockets.Socket]:
    """The connections that were made by sockets of `own`, and whose other end is not there as well,
    or will be once it is accepted.
    """
    table = list(table)
    ours = [at for at in table if at.inode in own]
    served = {_port(at.here) for at in ours if at.listens}
    ends = {at.here for at in ours if at.is_connected}
    return [
        at
        for at in ours
        if at.is_connected
        and _port(at.here) not in served
        and at.there not in ends
        and not (is_local(at) and _port(at.there) in served)
    ]


def _port(address: str) -> str:
    return address.rpartition(":")[2]


def _inodes(pids: Iterable[int]) -> Set[str]:
    inodes = {
        sockets.inode_of(target) for pid in pids for target in kernel.descriptors(pid).values()
    }
    return inodes - {""}


def _listener(address: str, listening: Dict[str, str]) -> str:
    """The command line of the process whose socket has the port on this machine."""
    wanted = {inode for inode, here in listening.items() if _port(here) == _port(address)}
    for name in kernel.names("/proc") if wanted else ():
        if name.isdigit() and _inodes((int(name),)) & wanted:
            return family.command(int(name))
    return ""


def is_local(at: sockets.Socket) -> bool:
    """Return whether the other end is on this machine."""
    here, there = (address.rpartition(":")[0].strip("[]") for address in (at.here, at.there))
    return there.startswith(("127.", "::ffff:127.")) or there in ("::1", here)
