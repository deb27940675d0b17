"""Linux: what the threads of a few processes wait for, and which processes could end it.

The kernel shows the system call of each thread, what a descriptor leads to, and who else has the
other end: of a pipe by its inode, of a TCP connection by its ports, of a pair of sockets by
sock_diag(7).
"""

from __future__ import annotations

import os
import platform
import re
import socket
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property

from envdoctor.model.waits import CHILD, LOCK, PIPE, READS, SOCKET, TERMINAL, TIME, WRITES, Wait
from envdoctor.run.supervise import proc

#: System calls by number: their name, and the kind of thing that their first argument is.
_CALLS = {
    "x86_64": {
        0: "read",
        1: "write",
        7: "poll",
        19: "readv",
        20: "writev",
        43: "accept",
        42: "connect",
        44: "sendto",
        45: "recvfrom",
        46: "sendmsg",
        47: "recvmsg",
        23: "select",
        35: "nanosleep",
        61: "wait4",
        202: "futex",
        230: "clock_nanosleep",
        247: "waitid",
        270: "pselect6",
        271: "ppoll",
        288: "accept4",
        232: "epoll_wait",
        281: "epoll_pwait",
        34: "pause",
        73: "flock",
    },
    "aarch64": {
        63: "read",
        64: "write",
        65: "readv",
        66: "writev",
        73: "ppoll",
        202: "accept",
        203: "connect",
        206: "sendto",
        207: "recvfrom",
        211: "sendmsg",
        212: "recvmsg",
        72: "pselect6",
        101: "nanosleep",
        260: "wait4",
        98: "futex",
        115: "clock_nanosleep",
        95: "waitid",
        242: "accept4",
        22: "epoll_pwait",
        32: "flock",
    },
}
NAMES = _CALLS.get(platform.machine(), {})
_READ = ("read", "readv", "recvfrom", "recvmsg")
_WRITE = ("write", "writev", "sendto", "sendmsg")
_POLL, _SELECT = ("poll", "ppoll"), ("select", "pselect6")
SLEEP = ("nanosleep", "clock_nanosleep")
LOCKS = "futex"
_EVENTS_IN = 0x001
_PRIVATE = 0x80  # a futex that no other process shares
#: Lines of /proc/<pid>/maps on memory that is shared, of a file that has no name any more: where it
#: begins and ends, and the device and inode.
_SHARED = re.compile(
    r"^([0-9a-f]+)-([0-9a-f]+) ..[-x]s [0-9a-f]+ (\S+ \d+) +"
    r"/dev/shm/.*\(deleted\)$",
    re.MULTILINE,
)
#: The same of the code of files.
_EXECUTABLE = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) ..x. [0-9a-f]+ \S+ \d+ +(/.+)$", re.MULTILINE)
_DESCRIPTORS = 16  # of one poll() that are looked at
_INIT = 1
_P_PID = 1  # waitid() for one process
_OUTPUTS = 0o3  # of the flags of a descriptor: 0 reads, 1 writes, 2 both
_ANY_STATE = _ENDLESS = 0xFFFFFFFF
_SOCK_DIAG, _SHOW_PEER, _PEER = 20, 4, 2


def blocked(pids: Iterable[int]) -> tuple[Wait, ...]:
    """Return what the threads of these processes wait for; none of what runs, or is not ours to
    see.
    """
    pids = tuple(pids)
    ends = _Ends()
    return tuple(wait for pid in pids for wait in _waits(pid, ends))


def wait_for_locks(pid: int) -> bool:
    """Return whether each thread of a process waits for a lock. Where 80 workers wait for orders,
    to see who could give them takes seconds: the descriptors of all processes are listed for it.
    """
    return {name for _, name, _ in _calls(pid)} == {LOCKS}


def _calls(pid: int) -> Iterator[tuple[int, str, list[str]]]:
    """The threads of a process that are in a system call: its name, and what the kernel shows."""
    for thread in sorted(proc.names(f"/proc/{pid}/task"), key=int):
        words = proc.read(f"/proc/{pid}/task/{thread}/syscall").split()
        name = NAMES.get(int(words[0])) if len(words) > 6 and words[0].isdigit() else None
        if name is not None:
            yield int(thread), name, words


def _waits(pid: int, ends: _Ends) -> Iterator[Wait]:
    command = proc.read(f"/proc/{pid}/cmdline").replace("\0", " ").strip()
    for thread, name, words in _calls(pid):
        arguments = [int(word, 16) for word in words[1:7]]
        on, way, peers, known = _thing(pid, name, arguments, ends)
        library = _file_at(pid, int(words[-1], 16))
        yield Wait(pid, command, name, on, way, peers, known, thread == pid, library)


def _file_at(pid: int, address: int) -> str:
    """The name of the file whose code a process runs at an address; nothing where it is of none."""
    for start, end, file in _EXECUTABLE.findall(proc.read(f"/proc/{pid}/maps")):
        if int(start, 16) <= address < int(end, 16):
            return str(os.path.basename(file))
    return ""


def _thing(
    pid: int, name: str, arguments: list[int], ends: _Ends
) -> tuple[str, str, tuple[int, ...], bool]:
    """The kind of thing that a call waits for, its way, and who could end the wait."""
    if name in _READ or name in _WRITE:
        way = READS if name in _READ else WRITES
        return _descriptor(pid, arguments[0], way, ends)
    if name in _POLL:
        return _polled(pid, name, arguments, ends)
    if name in _SELECT:
        return _selected(pid, arguments, ends)
    if name in SLEEP:
        return TIME, "", (), False
    if name in ("wait4", "waitid"):
        return CHILD, "", _children(pid, name, arguments), True
    if name == LOCKS:
        return _lock(pid, arguments, ends)
    return "", "", (), False


def _lock(pid: int, arguments: list[int], ends: _Ends) -> tuple[str, str, tuple[int, ...], bool]:
    """Of a futex: its own process, or all that have mapped the memory that it is in."""
    if arguments[3]:
        return LOCK, "", (pid,), False
    if arguments[1] & _PRIVATE:
        return LOCK, "", (pid,), True
    return LOCK, "", *ends.of_memory(pid, arguments[0])


def _polled(
    pid: int, name: str, arguments: list[int], ends: _Ends
) -> tuple[str, str, tuple[int, ...], bool]:
    """Of a poll(): of the first of its descriptors, and of all of them who could end it."""
    address, number, timeout = arguments[:3]
    table = _memory(pid, address, 8 * min(number, _DESCRIPTORS))
    each = [
        _descriptor(pid, descriptor, READS if events & _EVENTS_IN else WRITES, ends)
        for descriptor, events, _ in struct.iter_unpack("ihh", table)
    ]
    if not each:
        return TIME, "", (), False
    peers = tuple(sorted({peer for item in each for peer in item[2]}))
    endless = timeout & _ENDLESS == _ENDLESS if name == "poll" else not timeout
    known = endless and len(each) == number and all(item[3] for item in each)
    return each[0][0], each[0][1], peers, known


def _selected(
    pid: int, arguments: list[int], ends: _Ends
) -> tuple[str, str, tuple[int, ...], bool]:
    """Of a select() that reads: of the first of its descriptors, and of all who could end it."""
    number, reads, writes, errors, timeout = arguments[:5]
    table = _memory(pid, reads, (number + 63) // 64 * 8) if reads else b""  # in longs
    bits = int.from_bytes(table, "little")
    chosen = [descriptor for descriptor in range(number) if bits >> descriptor & 1]
    each = [_descriptor(pid, item, READS, ends) for item in chosen[:_DESCRIPTORS]]
    if not each:
        return ("", "", (), False) if writes or errors else (TIME, "", (), False)
    peers = tuple(sorted({peer for item in each for peer in item[2]}))
    alone = not (writes or errors or timeout)
    known = alone and len(each) == len(chosen) and all(item[3] for item in each)
    return each[0][0], each[0][1], peers, known


def _descriptor(
    pid: int, descriptor: int, way: str, ends: _Ends
) -> tuple[str, str, tuple[int, ...], bool]:
    target = proc.target(f"/proc/{pid}/fd/{descriptor}")
    if target.startswith("pipe:"):
        return PIPE, way, *ends.of_pipe(target, way)
    if target.startswith("socket:"):
        return SOCKET, way, *ends.of_socket(pid, target)
    if target.startswith(("/dev/pts/", "/dev/tty")):
        return TERMINAL, way, (), False
    return "", way, (), False


def _children(pid: int, name: str, arguments: list[int]) -> tuple[int, ...]:
    """The child that is waited for, or all of them."""
    number = arguments[0] & 0xFFFFFFFF if name == "wait4" else arguments[1]
    if number != _ENDLESS and (name == "wait4" or arguments[0] == _P_PID):
        return (number,)
    lists = (
        proc.read(f"/proc/{pid}/task/{name}/children") for name in proc.names(f"/proc/{pid}/task")
    )
    return tuple(int(word) for text in lists for word in text.split())


class _Ends:
    """Pipes and sockets by process, read once."""

    @cached_property
    def _holders(self) -> tuple[dict[str, list[tuple[int, int]]], bool]:
        """{what a descriptor leads to: (process, descriptor)}; and whether all of this user's
        processes could be read.
        """
        holders: dict[str, list[tuple[int, int]]] = {}
        complete = True
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            try:
                names = os.listdir(f"/proc/{pid}/fd")
            except FileNotFoundError:
                continue
            except OSError:
                complete = complete and not _is_ours(pid)
                continue
            for name in names:
                target = proc.target(f"/proc/{pid}/fd/{name}")
                if target.startswith(("pipe:", "socket:")):
                    holders.setdefault(target, []).append((pid, int(name)))
        return holders, complete

    def of_pipe(self, target: str, way: str) -> tuple[tuple[int, ...], bool]:
        """The processes that have the other end of a pipe."""
        holders, complete = self._holders
        result = {
            pid
            for pid, descriptor in holders.get(target, ())
            if _flags(pid, descriptor) & _OUTPUTS != (0 if way == READS else 1)
        }
        return tuple(sorted(result)), complete and bool(result)

    @cached_property
    def _mapped(self) -> tuple[dict[str, set[int]], bool]:
        """{a file without a name, as device and inode: processes that have mapped it}; and whether
        all of this user's processes could be read.
        """
        mapped: dict[str, set[int]] = {}
        complete = True
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            text = proc.read(f"/proc/{pid}/maps")
            complete = complete and (bool(text) or not _may_share(pid))
            for _, _, file in _SHARED.findall(text):
                mapped.setdefault(file, set()).add(pid)
        return mapped, complete

    def of_memory(self, pid: int, address: int) -> tuple[tuple[int, ...], bool]:
        """The processes that have mapped the memory that a process has at an address: that of a
        semaphore which other processes cannot open any more, as those of multiprocessing are.
        """
        for start, end, file in _SHARED.findall(proc.read(f"/proc/{pid}/maps")):
            if int(start, 16) <= address < int(end, 16):
                mapped, complete = self._mapped
                peers = mapped.get(file, set())
                return tuple(sorted(peers)), complete and pid in peers
        return (pid,), False

    def of_socket(self, pid: int, target: str) -> tuple[tuple[int, ...], bool]:
        """The processes of this machine that have the other end of a connection."""
        inode = int(target[8:-1])
        peer = _tcp_peer(pid, inode) or _unix_peer(inode)
        holders, complete = self._holders
        result = {holder for holder, _ in holders.get(f"socket:[{peer}]", ())} if peer else set()
        return tuple(sorted(result)), complete and bool(result)


def _tcp_peer(pid: int, inode: int) -> int:
    """The inode of the other end of a TCP connection on this machine, or 0."""
    rows = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in proc.read(f"/proc/{pid}/net/{name}").splitlines()[1:]
    ]
    own = next((row for row in rows if row[9] == str(inode)), None)
    if own is None:
        return 0
    return next((int(row[9]) for row in rows if (row[1], row[2]) == (own[2], own[1])), 0)


def _unix_peer(inode: int) -> int:
    """The inode of the other one of a pair of sockets, or 0."""
    request = struct.pack(
        "=BBHIIIII", socket.AF_UNIX, 0, 0, _ANY_STATE, inode, _SHOW_PEER, _ANY_STATE, _ANY_STATE
    )
    header = struct.pack("=IHHII", 16 + len(request), _SOCK_DIAG, 1, 1, 0)
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 4) as diagnosis:
            diagnosis.settimeout(1.0)
            diagnosis.send(header + request)
            answer = diagnosis.recv(8192)
    except OSError:
        return 0
    at = 32  # after the header and the message
    while at + 4 <= len(answer) and struct.unpack_from("=H", answer, 4)[0] == _SOCK_DIAG:
        length, kind = struct.unpack_from("=HH", answer, at)
        if kind == _PEER:
            return int(struct.unpack_from("=I", answer, at + 4)[0])
        at += max(4, (length + 3) & ~3)
    return 0


def _is_ours(pid: int) -> bool:
    try:
        return os.stat(f"/proc/{pid}").st_uid == os.getuid()
    except OSError:
        return False


def _may_share(pid: int) -> bool:
    """Return whether a process whose mappings cannot be read may have any of this user's: a zombie
    and the kernel's own have no memory, and the first one, which may be closed to others, is a
    child of none.
    """
    if pid == _INIT or not _is_ours(pid):
        return False
    return bool(proc.read(f"/proc/{pid}/statm").replace("0", "").split())


def _flags(pid: int, descriptor: int) -> int:
    match = re.search(
        r"^flags:\s*([0-7]+)", proc.read(f"/proc/{pid}/fdinfo/{descriptor}"), re.MULTILINE
    )
    return int(match[1], 8) if match else 2


def _memory(pid: int, address: int, size: int) -> bytes:
    with suppress(OSError, OverflowError), open(f"/proc/{pid}/mem", "rb", 0) as file:
        file.seek(address)
        data = file.read(size)
        return data[: len(data) - len(data) % 8]
    return b""
