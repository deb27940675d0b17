"""Objects that a lifecycle leaves open, of classes that know whether they were closed."""

from __future__ import annotations

import asyncio
import sys
import threading
import types

import pytest

from envdoctor.probe.tracing.open_clients import OpenClients


class Environment:
    """Holds what it opens."""


@pytest.fixture
def life():
    clients = OpenClients()
    clients.begin()
    return clients


def test_a_loop_is_reported_by_its_attribute(life):
    environment = Environment()
    environment.loop = asyncio.new_event_loop()
    try:
        life.look(environment)
        loop, environment.loop = environment.loop, None
        assert life.left() == [{"kind": "event loop", "attribute": "loop"}]
    finally:
        loop.close()
    assert life.left() == []


def test_clients_from_before_are_not_reported():
    loop = asyncio.new_event_loop()
    try:
        clients = OpenClients()
        clients.begin()
        assert clients.left() == []
    finally:
        loop.close()


def test_a_loop_that_runs_in_a_thread_is_the_matter_of_its_thread(life):
    loop = asyncio.new_event_loop()
    runs = threading.Event()
    loop.call_soon(runs.set)
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        assert runs.wait(10)
        assert life.left() == []
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def test_a_client_that_is_half_built_says_nothing(life, monkeypatch):
    class AsyncClient:
        @property
        def is_closed(self):
            raise AttributeError("_state")

    monkeypatch.setitem(sys.modules, "httpx", types.SimpleNamespace(AsyncClient=AsyncClient))
    kept = AsyncClient()
    assert life.left() == []
    del kept


@pytest.mark.parametrize(
    ("module", "name", "kind", "closed"),
    [
        ("aiohttp.client", "ClientSession", "aiohttp.ClientSession", "closed"),
        ("httpx", "AsyncClient", "httpx.AsyncClient", "is_closed"),
        ("httpx", "Client", "httpx.Client", "is_closed"),
    ],
)
def test_clients_say_whether_they_were_closed(life, monkeypatch, module, name, kind, closed):
    made = type(name, (), {closed: False})
    monkeypatch.setitem(sys.modules, module, types.SimpleNamespace(**{name: made}))
    client = made()
    client.itself = client  # as the real ones, it is known to the collector
    assert life.left() == [{"kind": kind, "attribute": ""}]
    setattr(client, closed, True)
    assert life.left() == []
    del client.itself
