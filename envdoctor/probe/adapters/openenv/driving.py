"""Driving OpenEnv's server through its own client: one session an instance, on as few servers as
have room for them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import multiprocessing
import socket
import struct
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from envdoctor.probe.action_classes import Fields
from envdoctor.probe.actions import Actions
from envdoctor.probe.adapters.gymnasium.driving import Outcomes, VectorHost
from envdoctor.probe.adapters.openenv import serving
from envdoctor.probe.system.deadline import Deadline

if TYPE_CHECKING:
    from openenv.core import SyncEnvClient
    from openenv.core.client_types import StepResult

ENDS = "ends"
#: How sessions may end besides by close() of their clients: connections are reset, clients stop
#: answering, the server ends first; and what is asked over HTTP has no session at all.
ABORTED, STOPPED, SERVER_FIRST, HTTP = "aborted", "stopped", "server-first", "http"

NOTICED = 5.0  # seconds for a server to notice that a session has ended
HTTP_TIMEOUT = 60.0  # seconds for the answer to one request
LOOK_EVERY = 0.005  # seconds
RESET_AT_CLOSE = struct.pack("ii", 1, 0)  # for SO_LINGER: RST in place of FIN


def missing() -> str:
    """An empty text, or why OpenEnv's server cannot be used here."""
    for package in ("openenv", "uvicorn"):
        if importlib.util.find_spec(package) is None:
            return "%s is not installed in this interpreter" % package
    return ""


def enter() -> None:
    """Import the framework."""
    for name in ("openenv.core", "openenv.core.env_server.http_server", "uvicorn"):
        importlib.import_module(name)


class ServerHost(VectorHost):
    """Sessions of one environment each. Where an episode ends, its client resets it."""

    def __init__(
        self,
        factories: List[Callable[[], object]],
        start_method: Optional[str],
        seed: int,
        ends: str,
    ) -> None:
        super().__init__(None, seed)
        self.factories = factories
        self.context: object = multiprocessing.get_context(start_method)
        self.ends = ends
        self.servers: List[serving.ServerProcess] = []
        self.clients: List[SyncEnvClient] = []
        self.several: List[Actions] = []
        self.next: Dict[int, object] = {}  # slot: the first observation of its next episode
        try:
            self._open()
        except BaseException:
            self._stop()
            raise

    def _open(self) -> None:
        """Start servers until there is room for all sessions, then connect a client for each. A
        client has a thread, which must not run while a server is forked.
        """
        room = 0
        while room < len(self.factories):
            self.servers.append(serving.ServerProcess(self.context, self.factories[room:]))
            room += self.servers[-1].hello.room
        for server in self.servers:
            for _ in range(min(len(self.factories) - len(self.clients), server.hello.room)):
                self._connect(server)
        self.several = self._begin()

    def _connect(self, server: serving.ServerProcess) -> None:
        """Connect, and wait until the environment of the session was built, or failed to be: else
        two might be built in another order.
        """
        from openenv.core import GenericEnvClient

        tried = server.ask(serving.TRIED)
        self.clients.append(GenericEnvClient(base_url=server.url).sync())
        self.clients[-1].connect()
        _wait(lambda: server.ask(serving.TRIED) > tried)

    @property
    def instances(self) -> int:
        """Number of sessions."""
        return len(self.factories)

    @property
    def hello(self) -> serving.Hello:
        """Answer of the first server, once it could be connected to."""
        return self.servers[0].hello

    def reset(self, seed: Optional[int]) -> None:
        """Reset all. What comes back is JSON, which says less than what was sent: it is not
        recorded, so that it is not compared.
        """
        self.recorder = None
        super().reset(seed)

    def _begin(self) -> List[Actions]:
        kind = self.hello.action
        several = [Actions(self.seed + slot) for slot in range(self.instances)]
        for actions in several:
            actions.look_at(None if kind is None else Fields(kind))
        return several

    def _reset(self, seed: Optional[int]) -> object:
        if seed is None:
            return [_observed(client.reset()) for client in self.clients]
        self.several = self._begin()
        return [
            _observed(client.reset(**({"seed": seed + slot} if self.hello.seeds else {})))
            for slot, client in enumerate(self.clients)
        ]

    def _step(self, actions: Sequence[object]) -> Tuple[object, object, Outcomes]:
        """Step each, and reset those whose episode ended."""
        results = [client.step(_payload(action)) for client, action in zip(self.clients, actions)]
        ended = [bool(result.done) for result in results]
        self.next = {
            slot: _observed(self.clients[slot].reset()) for slot, over in enumerate(ended) if over
        }
        rewards = [result.reward for result in results]
        outcomes = Outcomes(rewards, ended, [False] * len(ended))
        return [_observed(result) for result in results], ended, outcomes

    def _begun(self, _observations: object, _ended: object) -> object:
        return self.next

    def _final(
        self, observations: Sequence[object], _infos: object, slot: int
    ) -> Tuple[object, Dict[str, object]]:
        return observations[slot], {}

    def _draw(self) -> object:
        return [actions.draw() for actions in self.several]

    def _mirrored(self) -> object:
        if self.hello.action is not None:
            self.single.look_at(Fields(self.hello.action))
        return [self.single.draw()] * self.instances

    def _observation(self, observations: Sequence[object], slot: int) -> object:
        return observations[slot]

    def _action(self, actions: Sequence[object], slot: int) -> object:
        return actions[slot]

    def read_workers(self) -> List[Dict[str, object]]:
        """Meters of each server."""
        return [server.ask(serving.HOLDINGS) for server in self.servers]

    def close(self) -> None:
        """End the sessions, then the servers."""
        if self.ends != SERVER_FIRST:
            self._end_sessions()
        if self.ends == HTTP:
            for server in self.servers:
                _reset_over_http(server.url)
        if self.ends == STOPPED:
            self._stop_clients()
        self._stop()

    def _end_sessions(self) -> None:
        """By their clients, and wait until the servers noticed."""
        clients, self.clients = self.clients, []
        for client in clients:
            if self.ends == ABORTED:
                _abort(client)
            client.close()
        self._wait_for_no_sessions(NOTICED)

    def _stop_clients(self) -> None:
        """Open a session more on each server, whose client stops answering, and wait until the
        servers noticed. These ping so often that on a busy machine they may end it before.
        """
        for server in self.servers:
            server.ask(serving.PING_OFTEN)
            self._connect(server)
        clients, self.clients = self.clients, []
        for client in clients:
            with contextlib.suppress(Exception):
                client.reset()
            _stop_answering(client)
        self._wait_for_no_sessions(NOTICED + sum(serving.PINGS))
        for client in clients:
            _abort(client)
            client.close()

    def _wait_for_no_sessions(self, seconds: float) -> None:
        for server in self.servers:
            _wait(partial(server.has_none, serving.SESSIONS), seconds)

    def _stop(self) -> None:
        """End the servers, and what is left of their clients."""
        servers, self.servers = self.servers, []
        for server in servers:
            server.stop()
        clients, self.clients = self.clients, []
        for client in clients:
            client.close()


def _wait(until: Callable[[], bool], seconds: float = NOTICED) -> None:
    """Until that is true, for a bounded time; at once where the server is gone."""
    deadline = Deadline(seconds)
    try:
        while not until() and not deadline.passed:
            time.sleep(LOOK_EVERY)
    except (EOFError, OSError):
        return


def _abort(client: SyncEnvClient) -> None:
    """Reset its connection, as the end of a process by SIGKILL does."""
    connection = client.async_client._ws
    if connection is None:
        return
    transport = connection.transport
    transport.get_extra_info("socket").setsockopt(
        socket.SOL_SOCKET, socket.SO_LINGER, RESET_AT_CLOSE
    )
    client._loop.call_soon_threadsafe(transport.abort)


def _stop_answering(client: SyncEnvClient) -> None:
    """Read nothing any more, as a process does that was stopped: no ping is answered."""
    connection = client.async_client._ws
    if connection is not None:
        client._loop.call_soon_threadsafe(connection.transport.pause_reading)


def _reset_over_http(url: str) -> None:
    """Ask for a reset(), for which the server makes an instance of its own. Its step() is not asked
    for: it would be that of an instance which was never reset.
    """
    import urllib.request  # with http and ssl: every other probe does without

    request = urllib.request.Request(  # noqa: S310  a server of our own
        url + "/reset", data=b"{}", headers={"Content-Type": "application/json"}, method="POST"
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with contextlib.suppress(OSError), opener.open(request, timeout=HTTP_TIMEOUT) as answer:
        answer.read()


def _payload(action: Any) -> Mapping[str, object]:
    """An action as a client sends it."""
    dump = getattr(action, "model_dump", None)
    if callable(dump):
        return dict(dump(mode="json"))
    is_instance = dataclasses.is_dataclass(action) and not isinstance(action, type)
    return dataclasses.asdict(action) if is_instance else {}


def _observed(result: StepResult) -> object:
    return result.observation
