"""Event loops, their connections, and clients of servers that a life made and its close() left
open: each says itself whether it was closed. Nothing is looked for where no such library is loaded.
"""

from __future__ import annotations

import gc
import sys
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Set, Tuple

from envdoctor.probe.frameworks import names


def _says(attribute: str) -> Callable[[object], bool]:
    """Make a check of objects that say by this attribute, or method, that they were closed."""

    def is_open(client: object) -> bool:
        answer = getattr(client, attribute)
        return not (answer() if callable(answer) else answer)

    return is_open


def _loop_is_open(loop: Any) -> bool:
    return not loop.is_closed() and not loop.is_running()


def _connection_is_open(connection: Any) -> bool:
    return not connection.is_closing() and not connection._loop.is_running()


def _is_connected(attribute: str) -> Callable[[object], bool]:
    return lambda client: getattr(client, attribute) is not None


class _Kind(NamedTuple):
    """Class of such objects: its module and name, what an object is called, whether it is open, and
    in which attribute it holds another one, which is not reported then.
    """

    module: str
    name: str
    kind: str
    is_open: Callable[[object], bool]
    holds: str = ""


_KINDS = (
    _Kind("asyncio.base_events", "BaseEventLoop", "event loop", _loop_is_open),
    _Kind(
        "asyncio.selector_events",
        "_SelectorSocketTransport",
        "connection of asyncio",
        _connection_is_open,
    ),
    _Kind("aiohttp.client", "ClientSession", "aiohttp.ClientSession", _says("closed")),
    _Kind("httpx", "AsyncClient", "httpx.AsyncClient", _says("is_closed")),
    _Kind("httpx", "Client", "httpx.Client", _says("is_closed")),
    *(
        _Kind(module, name, kind, _is_connected(attribute), holds)
        for module, name, kind, attribute, holds in names.CLIENTS
    ),
)
#: What writes to a connection of asyncio, and is what an environment has of it.
_WRITER = ("asyncio.streams", "StreamWriter", "_transport")


class OpenClients:
    """Objects that are open after close() and were not there before a life."""

    def __init__(self) -> None:
        self._there: Set[int] = set()
        self._attributes: Dict[int, str] = {}

    def begin(self) -> None:
        """A life begins: what is there now is not its own."""
        self._there = {id(client) for client, _ in _open()}

    def look(self, environment: object) -> None:
        """close() comes: by which attributes the environment has them, which it may forget."""
        held = getattr(environment, "__dict__", {})
        self._attributes = {id(_connection_of(value)): name for name, value in held.items()}

    def left(self) -> List[Dict[str, str]]:
        """[{"kind", "attribute": of the environment, or ""}]. A loop that runs in a thread is not
        one of them: it ends with its thread.
        """
        return [
            {"kind": kind, "attribute": self._attributes.get(id(client), "")}
            for client, kind in _open()
            if id(client) not in self._there
        ]


def _connection_of(value: object) -> object:
    """The connection of a writer; anything else is what it is."""
    module, name, attribute = _WRITER
    kind = getattr(sys.modules.get(module), name, None)
    return getattr(value, attribute) if kind is not None and type(value) is kind else value


def _open() -> Iterator[Tuple[object, str]]:
    kinds = [
        (cls, kind)
        for kind in _KINDS
        for cls in [getattr(sys.modules.get(kind.module), kind.name, None)]
        if isinstance(cls, type)
    ]
    if not kinds:
        return
    classes = tuple(cls for cls, _ in kinds)
    left = [
        (each, kind)
        for each in [each for each in gc.get_objects() if issubclass(type(each), classes)]
        for cls, kind in kinds
        if issubclass(type(each), cls) and _is_open(each, kind)
    ]
    held = {id(getattr(each, kind.holds, None)) for each, kind in left if kind.holds}
    for each, kind in left:
        if id(each) not in held:
            yield each, kind.kind


def _is_open(client: object, kind: _Kind) -> bool:
    """Return whether it says that it is open; what is only half built says nothing."""
    try:
        return kind.is_open(client)
    except Exception:
        return False
