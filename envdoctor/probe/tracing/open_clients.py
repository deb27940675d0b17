"""Event loops, and clients of aiohttp and httpx, that a life made and its close() left open: each
says itself whether it was closed. Nothing is looked for where no such library is loaded.
"""

from __future__ import annotations

import gc
import sys
from typing import Any, Dict, Iterator, List, Set, Tuple

#: Module and class, what such an object is called, and what tells that it was closed.
_KINDS = (
    ("asyncio.base_events", "BaseEventLoop", "event loop", "is_closed"),
    ("aiohttp.client", "ClientSession", "aiohttp.ClientSession", "closed"),
    ("httpx", "AsyncClient", "httpx.AsyncClient", "is_closed"),
    ("httpx", "Client", "httpx.Client", "is_closed"),
)


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
        self._attributes = {id(value): name for name, value in held.items()}

    def left(self) -> List[Dict[str, str]]:
        """[{"kind", "attribute": of the environment, or ""}]. A loop that runs in a thread is not
        one of them: it ends with its thread.
        """
        return [
            {"kind": kind, "attribute": self._attributes.get(id(found), "")}
            for found, kind in _open()
            if id(found) not in self._there
        ]


def _open() -> Iterator[Tuple[Any, str]]:
    kinds = [
        (found, kind, told)
        for module, name, kind, told in _KINDS
        for found in [getattr(sys.modules.get(module), name, None)]
        if isinstance(found, type)
    ]
    if not kinds:
        return
    classes = tuple(found for found, _, _ in kinds)
    for one in [each for each in gc.get_objects() if issubclass(type(each), classes)]:
        for found, kind, told in kinds:
            if issubclass(type(one), found) and _is_open(one, told):
                yield one, kind


def _is_open(found: Any, told: str) -> bool:
    """Whether it says so; what is only half built says nothing."""
    try:
        answer = getattr(found, told)
        closed = answer() if callable(answer) else answer
        return not closed and not (hasattr(found, "is_running") and found.is_running())
    except Exception:
        return False
