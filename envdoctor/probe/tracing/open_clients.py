"""Event loops, their connections, and clients of servers that a life made and its close() left
open: each says itself whether it was closed. Nothing is looked for where no such library is loaded.
"""

from __future__ import annotations

import gc
import sys
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Set, Tuple

from envdoctor.probe.frameworks import names


def _says(attribute: str) -> Callable[[Any], bool]:
    """Whether an object says by that attribute, or method, that it was closed."""

    def is_open(found: Any) -> bool:
        answer = getattr(found, attribute)
        return not (answer() if callable(answer) else answer)

    return is_open


def _loop_is_open(found: Any) -> bool:
    return not found.is_closed() and not found.is_running()


def _connection_is_open(found: Any) -> bool:
    return not found.is_closing() and not found._loop.is_running()


def _is_connected(attribute: str) -> Callable[[Any], bool]:
    return lambda found: getattr(found, attribute) is not None


class _Kind(NamedTuple):
    """What such objects are: their module and class, what one is called, whether one is open, and
    in which attribute it holds another one, which is not told then.
    """

    module: str
    name: str
    kind: str
    is_open: Callable[[Any], bool]
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
    """What is open after close() and was not there before a life."""

    def __init__(self) -> None:
        self._there: Set[int] = set()
        self._attributes: Dict[int, str] = {}

    def begin(self) -> None:
        """A life begins: what is there now is not its own."""
        self._there = {id(found) for found, _ in _open()}

    def look(self, environment: Any) -> None:
        """close() comes: by which attributes the environment has them, which it may forget."""
        held = getattr(environment, "__dict__", {})
        self._attributes = {id(_connection_of(value)): name for name, value in held.items()}

    def left(self) -> List[Dict[str, str]]:
        """[{"kind", "attribute": of the environment, or ""}]. A loop that runs in a thread is not
        one of them: it ends with its thread.
        """
        return [
            {"kind": kind, "attribute": self._attributes.get(id(found), "")}
            for found, kind in _open()
            if id(found) not in self._there
        ]


def _connection_of(value: Any) -> Any:
    """The connection of a writer; anything else is what it is."""
    module, name, attribute = _WRITER
    kind = getattr(sys.modules.get(module), name, None)
    return getattr(value, attribute) if kind is not None and type(value) is kind else value


def _open() -> Iterator[Tuple[Any, str]]:
    kinds = [
        (found, one)
        for one in _KINDS
        for found in [getattr(sys.modules.get(one.module), one.name, None)]
        if isinstance(found, type)
    ]
    if not kinds:
        return
    classes = tuple(found for found, _ in kinds)
    left = [
        (each, one)
        for each in [each for each in gc.get_objects() if issubclass(type(each), classes)]
        for found, one in kinds
        if issubclass(type(each), found) and _is_open(each, one)
    ]
    held = {id(getattr(each, one.holds, None)) for each, one in left if one.holds}
    for each, one in left:
        if id(each) not in held:
            yield each, one.kind


def _is_open(found: Any, one: _Kind) -> bool:
    """Whether it says so; what is only half built says nothing."""
    try:
        return one.is_open(found)
    except Exception:
        return False
