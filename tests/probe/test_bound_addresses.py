"""Constructors that cannot bind an address, and what keeps its port."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from envdoctor.probe.errors import error_value
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.system.sockets import states_of_port

OWN = Ownership(frozenset())

#: One process each, since an audit hook stays.
SCRIPT = """
import socket
from envdoctor.probe.tracing import bound_addresses
bound_addresses.follow()
{}
print(bound_addresses.used_address())
"""


@pytest.fixture
def server():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def printed(script):
    command = [sys.executable, "-c", SCRIPT.format(script)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def value_of(function):
    try:
        function()
    except Exception as error:
        return error_value(error, OWN)
    return {}


def test_address_in_use_is_seen_through_another_error(server):
    def hides():
        with socket.socket() as own:
            try:
                own.bind(server.getsockname())
            except OSError:
                raise RuntimeError("worker 0 is still in use") from None

    assert value_of(hides)["address_in_use"] is True


def test_other_errors_say_nothing_of_addresses():
    def fails():
        raise OSError("in use")

    assert "address_in_use" not in value_of(fails)


def test_states_of_a_port_that_listens_and_of_one_that_waits(server):
    port = server.getsockname()[1]
    assert states_of_port(port) == ["listening"]
    client = socket.create_connection(("127.0.0.1", port))
    connection, _ = server.accept()
    connection.close()
    client.close()
    server.close()
    assert states_of_port(port) == ["TIME_WAIT"]


def test_port_that_cannot_be_bound_is_reported(server):
    port = server.getsockname()[1]
    tries = f"""
try:
    socket.socket().bind(("127.0.0.1", {port}))
except OSError:
    pass
"""
    assert printed(tries) == str({"host": "127.0.0.1", "port": port, "states": ["listening"]})


@pytest.mark.parametrize(
    "tries",
    [
        'own = socket.create_server(("127.0.0.1", 0))',
        'udp = socket.socket(type=socket.SOCK_DGRAM); udp.bind(("127.0.0.1", {port}))',
        "",
    ],
    ids=["any port", "another protocol", "nothing"],
)
def test_nothing_is_reported_of_other_sockets(server, tries):
    assert printed(tries.format(port=server.getsockname()[1])) == "None"
