"""An event loop, a connection of one, or a client of aiohttp, httpx or OpenEnv, is still open.

What it does
    Asks each event loop of asyncio and each of its connections, each `aiohttp.ClientSession`,
    `httpx.AsyncClient`, `httpx.Client`, and each client of OpenEnv that a life has made whether it
    was closed, right after close(). One that was there before, that all instances share, or a loop
    that runs in a thread, is not counted.

Why it matters
    A loop holds three descriptors, and a client its connections and their buffers, until the
    garbage collector runs, if it runs. What aiohttp finds then it only logs: "Unclosed client
    session"; Python only warns of an "unclosed transport". A server keeps its session.

How to fix it
    Close the client while its loop is there, then the loop:

        def close(self):
            if self._loop is not None:
                self._loop.run_until_complete(self._session.close())   # httpx: aclose()
                self._loop.close()
                self._loop = None

    Where close() is a coroutine: `await self._session.close()`. A connection of asyncio is ended by
    its writer's close().
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from envdoctor.frameworks import client_cure
from envdoctor.model.environment_aims import CallInClose
from envdoctor.model.events import Event
from envdoctor.model.finding import ENVIRONMENT, ERROR, WARNING, Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, fact, life_trace, trace, verb
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.tasks import CONNECTION, LOOP, clients_left
from envdoctor.rules.wording.leftovers import its_close

CURES = {
    LOOP: "call {}close()",
    "aiohttp.ClientSession": "await {}close(), while its event loop is open,",
    "httpx.AsyncClient": "await {}aclose(), while its event loop is open,",
    "httpx.Client": "call {}close()",
    CONNECTION: "call {}close(), while its event loop is open,",
}


@rule(
    "ASY003",
    "client-left-open",
    explains=Cause.CLIENT_LEFT,
    severity=WARNING,
    where=DIRECT_ONLY,
    verb="close",
    looks_at={"life": LIFECYCLE},
    counts=counted("clients left open", "number"),
    blames_itself=True,
    cured_in_close=True,
)
def client_left_open(view: View) -> Iterator[Finding]:
    left = Counter((client.kind, client.attribute) for client in clients_left(view))
    if any(kind not in (LOOP, CONNECTION) for kind, _ in left):  # they are that client's
        left = Counter({item: number for item, number in left.items() if item[0] != CONNECTION})
    for (kind, attribute), number in left.items():
        what = f"the {kind}" if number == 1 else f"{number} {kind}s"
        where = f" self.{attribute}" if attribute else ""
        cure = client_cure(kind, attribute) or CURES[kind].format(
            f"self.{attribute}." if attribute else "its "
        )
        yield client_left_open.finding(
            f"close() leaves {what}{where} open",
            f"{cure} in {its_close(view)}.",
            aim=_aim(kind, attribute),
            location=view.locate("close"),
            blame=ENVIRONMENT,
            severity=ERROR if kind == LOOP else WARNING,
            key=(kind, attribute),
            evidence={"kind": kind, "attribute": attribute, "number": number},
        )


def _aim(kind: str, attribute: str) -> CallInClose | None:
    """Close what can be closed without an event loop."""
    is_plain = attribute and kind in (LOOP, "httpx.Client")
    return CallInClose((f"self.{attribute}.close()",)) if is_plain else None


def _left(kind: str, attribute: str = "", life: int = 0) -> Event:
    return fact("client-left", {"kind": kind, "attribute": attribute, "life": life})


def _view(*events: Event) -> View:
    return direct_view(
        trace(*life_trace(before={}, dropped={}).of("reading"), verb("close"), *events)
    )


EXAMPLES = (
    Example(
        "a session of aiohttp",
        _view(_left("aiohttp.ClientSession", "session")),
        "close() leaves the aiohttp.ClientSession self.session open",
    ),
    Example(
        "two loops that no attribute holds",
        _view(_left(LOOP), _left(LOOP)),
        "close() leaves 2 event loops open",
    ),
    Example(
        "a connection of asyncio",
        _view(_left(CONNECTION, "writer")),
        "close() leaves the connection of asyncio self.writer open",
    ),
    Example(
        "a client of a server, and its connection",
        _view(_left("OpenEnv client", "client"), _left(CONNECTION)),
        "close() leaves the OpenEnv client self.client open",
    ),
    Example("one of the first life only: all instances share it", _view(_left(LOOP, life=-1))),
    Example("all are closed", _view()),
)
