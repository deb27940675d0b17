"""An application of OpenEnv's on uvicorn, in a process of its own, on a free port of the loopback.

The parent asks through a pipe, and the server's own loop answers: no thread is added.
"""

from __future__ import annotations

import contextlib
import inspect
import pickle
import signal
import socket
import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Type

from envdoctor.probe.adapters.openenv import environment as shape
from envdoctor.probe.growth import meters
from envdoctor.probe.subject import load

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from openenv.core.env_server.http_server import HTTPEnvServer
    from openenv.core.env_server.interfaces import Environment


HOST = "127.0.0.1"
BACKLOG = 128

#: What the parent may ask: how many instances were built, or failed to be, how many sessions there
#: are, what the process holds; and to ping new clients often, as a server must that shall notice
#: soon that one has stopped.
TRIED, SESSIONS, HOLDINGS, PING_OFTEN = "tried", "sessions", "holdings", "ping often"
PINGS = (1.0, 2.0)  # seconds between two pings, and for their answers

FLAGS = ("SUPPORTS_CONCURRENT_SESSIONS", "REQUIRES_SINGLE_THREAD_EXECUTOR")


class Hello(NamedTuple):
    """Answer of a server once it can be connected to: how many sessions it takes at a time, and the
    class of their actions (None for the null environment's).
    """

    port: int
    room: int
    action: Optional[type]
    seeds: bool


class Sessions:
    """Builds the environments of sessions with factories, one after the other. One that raises is
    asked again: the client of that session connects once more.
    """

    def __init__(self, factories: List[Callable[[], object]]) -> None:
        self.factories = factories
        self.built = self.tried = 0

    def build(self) -> object:
        """The environment of the next session."""
        try:
            environment = self.factories[self.built % len(self.factories)]()
            self.built += 1
            return environment
        finally:
            self.tried += 1

    def kind(self, own: Type[Environment]) -> Type[Environment]:
        """A class with the flags of `own`: the server calls a function once more to read them."""

        def new(_kind: object) -> object:
            return self.build()

        flags = {name: getattr(own, name, False) for name in FLAGS}
        return type(own.__name__, (), {**flags, "__new__": new})


def serve(factories: List[Callable[[], Any]], pipe: Connection) -> None:
    """Serve until SIGTERM. What fails before the first connection is sent instead of a Hello."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn hands it on when it has ended
    try:
        sessions = Sessions(factories)
        application, server, seeds = _application(factories[0], sessions, len(factories))
        listener = socket.socket()
        listener.bind((HOST, 0))
        listener.listen(BACKLOG)
        action = None if factories[0].control else server.action_cls  # type: ignore[attr-defined]
        room = server.max_concurrent_envs
        pipe.send(Hello(listener.getsockname()[1], room, action, seeds))
    except Exception as error:
        pipe.send(_sendable(error))
        return
    _run(application, listener, _answers(sessions, server), pipe)


def _sendable(error: Exception) -> Exception:
    """The error, or where it does not pickle one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError("%s: %s" % (type(error).__name__, error))
    return error


def _application(
    factory: Any, sessions: Sessions, number: int
) -> Tuple[object, HTTPEnvServer, bool]:
    """The application, its server, and whether reset() takes a seed: the user's own one where that
    was named, else one that serves the class.
    """
    from openenv.core.env_server.http_server import create_fastapi_app
    from openenv.core.env_server.types import Action, Observation

    target = None if factory.control else load.find(factory.subject).target
    own: Type[Environment] = target if inspect.isclass(target) else _class_of(factory)
    seeds = "seed" in inspect.signature(own.reset).parameters
    kind = sessions.kind(own)
    served = shape.serving(target)
    if served is not None:
        application, server = served
        server._env_factory = kind
        return application, server, seeds
    room = number if kind.SUPPORTS_CONCURRENT_SESSIONS else 1
    # A forked server knows the user's application; the null environment has none of its actions.
    action = Action if factory.control else shape.action_class(own) or Action
    application = create_fastapi_app(kind, action, Observation, max_concurrent_envs=room)
    return application, next(shape.servers_of(application)), seeds


def _class_of(factory: Any) -> Type[Environment]:
    """The class of what a function builds: the server builds one instance for that, too. What its
    close() raises is found where the environment is played.
    """
    made = factory.build()
    with contextlib.suppress(Exception):
        made.close()
    return type(made)


def _answers(sessions: Sessions, server: HTTPEnvServer) -> Dict[str, Callable[[], object]]:
    return {
        TRIED: lambda: sessions.tried,
        SESSIONS: lambda: server.active_sessions,
        HOLDINGS: meters.read_here,
    }


def _run(
    application: object,
    listener: object,
    answers: Dict[str, Callable[[], object]],
    pipe: Connection,
) -> None:
    import asyncio

    import uvicorn

    class Server(uvicorn.Server):  # type: ignore[misc]
        """One that answers the parent."""

        async def startup(self, sockets: Optional[List[object]] = None) -> None:
            await super().startup(sockets)
            asyncio.get_running_loop().add_reader(pipe.fileno(), self.answer)

        def answer(self) -> None:
            """Answer one question; end where the parent is gone."""
            try:
                pipe.send(answers[pipe.recv()]())
            except (EOFError, OSError):
                asyncio.get_running_loop().remove_reader(pipe.fileno())
                self.should_exit = True

    config = uvicorn.Config(application, log_config=None)

    def ping_often() -> None:  # read when a connection is made
        config.ws_ping_interval, config.ws_ping_timeout = PINGS

    answers = {**answers, PING_OFTEN: ping_often}
    Server(config).run(sockets=[listener])


class ServerProcess:
    """A server, as its parent sees it."""

    def __init__(self, context: Any, factories: List[Callable[[], object]]) -> None:
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(factories, theirs))
        self.process.start()
        theirs.close()
        try:
            said = self.pipe.recv()
        except EOFError:
            self.process.join()
            said = RuntimeError("the server ended with exit code %s" % self.process.exitcode)
        if isinstance(said, Exception):
            self.stop()
            raise said
        self.hello: Hello = said

    @property
    def url(self) -> str:
        """Address of the server."""
        return "http://%s:%d" % (HOST, self.hello.port)

    def ask(self, question: str) -> Any:
        """The answer to one question. Raises EOFError where the server is gone."""
        self.pipe.send(question)
        return self.pipe.recv()

    def has_none(self, question: str) -> bool:
        """Return whether the answer to a question is 0."""
        return not self.ask(question)

    def stop(self) -> None:
        """SIGTERM, and wait until it is gone."""
        self.process.terminate()
        self.process.join()
        self.pipe.close()
