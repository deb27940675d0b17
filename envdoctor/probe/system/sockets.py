"""Sockets of this machine as the kernel lists them, by inode."""

from __future__ import annotations

import contextlib
import socket
import struct
from typing import Collection, Dict, Iterator, List, NamedTuple

from envdoctor.probe.system import kernel

_LISTEN, _CONNECTED = "0A", "01"  # TCP states as /proc/net/tcp writes them
_STATES = {_LISTEN: "listening", _CONNECTED: "connected", "06": "TIME_WAIT"}
_UNIX_LISTENS = 0x10000  # __SO_ACCEPTCON


class Socket(NamedTuple):
    """One TCP socket: its inode, its own address and the other one."""

    inode: str
    here: str
    there: str
    listens: bool
    is_connected: bool


_TABLES = ("tcp", "tcp6", "udp", "udp6")
_once: List[Dict[str, str]] = []  # the text of each table, while it is read once


@contextlib.contextmanager
def read_once() -> Iterator[None]:
    """Read each table once meanwhile: to write one, the kernel walks through all places in which a
    connection of this machine could be.
    """
    _once.append({})
    try:
        yield
    finally:
        _once.pop()


def described(inodes: Collection[str]) -> Dict[str, str]:
    """{inode: `socket 127.0.0.1:80 listening`} of internet and unix sockets, `inodes` among
    them where the kernel tells.
    """
    descriptions = _unix()
    for table in _TABLES if _has_others(inodes, descriptions) else ():
        for fields in _rows("/proc/net/" + table):
            descriptions[fields[9]] = _text(fields, table)
    return descriptions


def listeners(inodes: Collection[str]) -> Dict[str, str]:
    """{inode: `127.0.0.1:80/tcp`} of the sockets that wait for connections, those of `inodes`
    among them.
    """
    tables = ("tcp", "tcp6") if _has_others(inodes, _unix()) else ()
    return {
        fields[9]: _address(fields[1]) + "/tcp"
        for table in tables
        for fields in _rows("/proc/net/" + table)
        if fields[3] == _LISTEN
    }


def states_of_port(port: int) -> List[str]:
    """In which states sockets of this machine have a TCP port: "listening", "connected",
    "TIME_WAIT", and "closing" for all others.
    """
    return sorted(
        {
            _STATES.get(fields[3], "closing")
            for table in ("tcp", "tcp6")
            for fields in _rows("/proc/net/" + table)
            if int(fields[1].rpartition(":")[2], 16) == port
        }
    )


def tcp(inodes: Collection[str]) -> List[Socket]:
    """The TCP sockets of this machine, where any of `inodes` may be one."""
    tables = ("tcp", "tcp6") if _has_others(inodes, _unix()) else ()
    return [
        Socket(
            fields[9],
            _address(fields[1]),
            _address(fields[2]),
            fields[3] == _LISTEN,
            fields[3] == _CONNECTED,
        )
        for table in tables
        for fields in _rows("/proc/net/" + table)
    ]


def _has_others(inodes: Collection[str], unix: Collection[str]) -> bool:
    """Return whether one is not a unix socket. The pipes of workers are: the kernel takes
    milliseconds to write its other tables.
    """
    return any(inode not in unix for inode in inodes)


def _unix() -> Dict[str, str]:
    descriptions = {}
    for line in _table("/proc/net/unix").splitlines()[1:]:
        parts = line.split(None, 7)  # the last one, its path, only where it is bound
        if len(parts) > 6:
            listens = " listening" if int(parts[3], 16) & _UNIX_LISTENS else ""
            descriptions[parts[6]] = "unix socket %s%s" % (
                parts[7] if len(parts) > 7 else "[%s]" % parts[6],
                listens,
            )
    return descriptions


def inode_of(target: str) -> str:
    """The inode in `socket:[123]`, or "" for what is not a socket."""
    return target[8:-1] if target.startswith("socket:[") else ""


def _table(path: str) -> str:
    if not _once:
        return kernel.read(path)
    if path not in _once[-1]:
        _once[-1][path] = kernel.read(path)
    return _once[-1][path]


def _rows(path: str) -> Iterator[List[str]]:
    for line in _table(path).splitlines()[1:]:
        fields = line.split()
        if len(fields) > 9:
            yield fields


def _text(fields: List[str], table: str) -> str:
    kind = "udp socket" if table.startswith("udp") else "socket"
    here, there = _address(fields[1]), _address(fields[2])
    if fields[3] == _LISTEN and kind == "socket":
        return "%s %s listening" % (kind, here)
    return (
        "%s %s" % (kind, here)
        if there.endswith(":0")
        else "%s %s connected to %s" % (kind, here, there)
    )


def _address(text: str) -> str:
    """`0100007F:0050` as `127.0.0.1:80`: words in the machine's own byte order, the port as a
    plain number.
    """
    host, port = text.split(":")
    packed = b"".join(
        struct.pack("=I", int(host[at : at + 8], 16)) for at in range(0, len(host), 8)
    )
    if len(packed) == 4:
        return "%s:%d" % (socket.inet_ntop(socket.AF_INET, packed), int(port, 16))
    return "[%s]:%d" % (socket.inet_ntop(socket.AF_INET6, packed), int(port, 16))
