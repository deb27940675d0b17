"""To which services a process is connected, as values and for real."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from envdoctor.probe.sensors import Context, Sensors
from envdoctor.probe.system import connections, sockets
from envdoctor.probe.system.connections import is_local, outgoing, to_others
from envdoctor.probe.system.sockets import Socket

SERVICE, CLIENT, OTHER = "127.0.0.1:20124", "127.0.0.1:50001", "10.1.2.3:443"


def connected(inode: str, here: str, there: str) -> Socket:
    return Socket(inode, here, there, listens=False, is_connected=True)


def listening(inode: str, here: str) -> Socket:
    return Socket(inode, here, "0.0.0.0:0", listens=True, is_connected=False)


@pytest.mark.parametrize(
    ("own", "addresses"),
    [
        ({"1"}, {SERVICE}),  # a client of a service
        ({"1", "2", "3"}, set()),  # whose service was started from here as well
        ({"2", "3"}, set()),  # a service that others are connected to
        ({"4"}, {OTHER}),
        ({"5"}, set()),  # it has ended
        (set(), set()),
    ],
)
def test_address_is_that_of_a_process_that_was_not_started_from_here(
    own: set[str], addresses: set[str]
) -> None:
    table = [
        connected("1", CLIENT, SERVICE),
        connected("2", SERVICE, CLIENT),
        listening("3", "0.0.0.0:20124"),
        connected("4", "10.0.0.7:50002", OTHER),
        Socket("5", "10.0.0.7:50003", OTHER, listens=False, is_connected=False),
    ]
    assert {at.there for at in outgoing(table, own)} == addresses


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("10.0.0.7:80", True),  # its own
        ("127.0.0.1:80", True),
        ("127.8.9.1:80", True),
        ("[::1]:80", True),
        ("[::ffff:127.0.0.1]:80", True),
        ("10.1.2.3:80", False),
        ("[2001:db8::1]:80", False),
    ],
)
def test_loopback_address_is_of_this_machine(address: str, local: bool) -> None:
    assert is_local(connected("1", "10.0.0.7:50001", address)) is local


CLIENTS = """
import json, socket, sys
client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
from envdoctor.probe.system.connections import to_others
print(json.dumps(to_others(0)))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_real_connection_is_seen_with_who_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        words = [sys.executable, "-c", CLIENTS, str(port)]
        seen = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    ((address, listener),) = json.loads(seen.stdout)
    assert address == f"127.0.0.1:{port}"
    assert listener == connections.family.command(os.getpid())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_connection_to_a_process_of_ones_own_is_not_said() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()),
    ):
        port = server.getsockname()[1]
        assert f"127.0.0.1:{port}" not in [one.address for one in to_others(0)]


def test_tables_are_read_once_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    paths: list[str] = []
    monkeypatch.setattr(sockets.kernel, "read", lambda path: paths.append(path) or "")
    with sockets.read_once():
        sockets.described({"1"})
        sockets.listeners({"1"})
    assert len(paths) == len(set(paths)) == 5
    sockets.listeners({"1"})
    assert len(paths) == 8


def test_one_reading_of_all_sensors_reads_each_table_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    paths: list[str] = []
    read = sockets.kernel.read
    monkeypatch.setattr(sockets.kernel, "read", lambda path: paths.append(path) or read(path))
    with socket.create_server(("127.0.0.1", 0)):
        Sensors(Context(str(tmp_path))).read_all(("descriptors", "ports"))
    assert paths.count("/proc/net/tcp") == 1
