"""close() leaves ports listening.

What it does
    Lists the ports on which the environment's process and all that it started listen, before the
    constructor and after close(). The descriptor behind such a port is not reported a second time.

Why it matters
    No other program can listen on a port that is taken: the next environment with the same
    arguments fails with "address already in use", often in the second trial of a search, hours
    after the first.

How to fix it
    Close the listening socket or the server, not only its connections. Port 0 lets the system
    choose a free one, so that two environments never want the same:

        def __init__(self):
            self._server = socket.create_server(("127.0.0.1", 0))
            self.port = self._server.getsockname()[1]

        def close(self):
            self._server.close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, sensor_life
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import left_open
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.after_close import Leftovers
from envdoctor.rules.wording.leftovers import listing


@rule(
    "CLS009",
    "close-leaves-ports",
    explains=Cause.PORTS_LEFT,
    verb="drop",
    sensors=("ports",),
    looks_at={"life": LIFECYCLE},
    counts=left_open("ports"),
    follow_ups=("acquisitions",),
    judges_rendered=True,
    cured_in_close=True,
)
def close_leaves_ports(view: View) -> Iterator[Finding]:
    left = Leftovers.of(view, "ports", "port")
    if left.items:
        sockets = "socket" if len(left.items) == 1 else "sockets"
        yield left.finding(
            close_leaves_ports,
            f"{left.count()} listening{left.gone}: {listing(left.items)}",
            f"close the listening {sockets}{left.in_close}; until then, making the environment"
            " again on the same port fails; port 0 picks a free one.",
        )


SERVER = {"127.0.0.1:4242/tcp": "pid 12"}

EXAMPLES = (
    Example(
        "a server goes on listening",
        direct_view(sensor_life("ports", before={}, held=SERVER, collected=SERVER)),
        "close() leaves 1 port listening: 127.0.0.1:4242/tcp",
    ),
    Example(
        "only the garbage collector closes it",
        direct_view(sensor_life("ports", before={}, held=SERVER, dropped=SERVER, collected={})),
        "close() leaves 1 port listening until the garbage collector runs: 127.0.0.1:4242/tcp",
    ),
    Example(
        "the server is closed", direct_view(sensor_life("ports", before={}, held={}, collected={}))
    ),
)
