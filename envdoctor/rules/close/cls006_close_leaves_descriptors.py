"""close() leaves file descriptors open.

What it does
    Compares the descriptors of the process before the constructor and after close(), in a second
    life, when everything that is taken only once has been taken. Read twice: with the closed object
    still held, and after it was dropped and collected.

Why it matters
    A process may hold 1024 descriptors. An environment that forgets two at every close ends a
    hyper-parameter search after some hundred trials, with an error in code that has nothing to do
    with it.

How to fix it
    Close in close() what __init__() or reset() opened:

        def close(self):
            if self._file is not None:
                self._file.close()
                self._file = None
            super().close()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from envdoctor.model.environment_aims import EndHeld
from envdoctor.model.finding import Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, life_trace, sensor_life, vector_view
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import left_open
from envdoctor.rules.engine.registry import IN_PROCESS, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.tasks import are_of_loops
from envdoctor.rules.wording.after_close import Leftovers
from envdoctor.rules.wording.leftovers import listing, still_there


@rule(
    "CLS006",
    "close-leaves-descriptors",
    explains=Cause.DESCRIPTORS_LEFT,
    where=IN_PROCESS,
    verb="drop",
    sensors=("descriptors",),
    looks_at={"life": LIFECYCLE},
    counts=left_open("descriptors"),
    follow_ups=("acquisitions",),
    judges_rendered=True,
    cured_in_close=True,
    gives_way=(Cause.CLIENT_LEFT,),
)
def close_leaves_descriptors(view: View) -> Iterator[Finding]:
    left = Leftovers.of(view, "descriptors", "descriptor")
    held = _without_listeners(left.items, still_there(view, "ports")[0])
    left = replace(left, items=held)
    if held:
        yield left.finding(
            close_leaves_descriptors,
            f"{left.count()} open{left.gone}: {listing(held.values())}",
            f"close {left.pronoun}{left.in_close}.",
            EndHeld(),
            explained_by=(Cause.CLIENT_LEFT,) if are_of_loops(view, held) else (),
        )


def _without_listeners(held: Mapping[str, str], ports: Iterable[str]) -> dict[str, str]:
    """`held` without the sockets that CLS009 reports as ports already."""
    listeners = [f" {port.rsplit('/', 1)[0]} listening" for port in ports]
    return {
        key: text
        for key, text in held.items()
        if not any(listener in text for listener in listeners)
    }


OUT = {"1": "out"}

EXAMPLES = (
    Example(
        "a log file stays open",
        direct_view(
            sensor_life(
                "descriptors",
                before=OUT,
                held={**OUT, "7": "/home/me/log"},
                collected={**OUT, "7": "/home/me/log"},
            )
        ),
        "close() leaves 1 descriptor open: /home/me/log",
    ),
    Example(
        "a socket lives as long as the closed object",
        direct_view(
            sensor_life(
                "descriptors",
                before=OUT,
                held={**OUT, "7": "pipe:[5]", "8": "pipe:[6]"},
                dropped=OUT,
                collected=OUT,
            )
        ),
        "close() leaves 2 descriptors open until the closed object is dropped: pipe:[5], pipe:[6]",
    ),
    Example(
        "it has no close() to blame",
        direct_view(
            sensor_life(
                "descriptors",
                before=OUT,
                held={**OUT, "7": "/home/me/log", "8": "/home/me/map"},
                collected={**OUT, "7": "/home/me/log"},
            ),
            lacks=["close"],
        ),
        "the environment has no close(): once given up, it leaves 1 descriptor open: /home/me/log",
    ),
    Example(
        "everything is closed",
        direct_view(sensor_life("descriptors", before=OUT, held=OUT, collected=OUT)),
    ),
    Example(
        "what a manager with workers pins until it is dropped is its own affair",
        vector_view(
            sensor_life("descriptors", before=OUT, held={**OUT, "7": "pipe:[5]"}, collected=OUT)
        ),
    ),
    Example(
        "a listening socket is a matter of close-leaves-ports",
        direct_view(
            life_trace(
                before={"descriptors": {}, "ports": {}},
                held={
                    "descriptors": {"7": "socket 127.0.0.1:80 listening"},
                    "ports": {"127.0.0.1:80/tcp": "pid 1"},
                },
            )
        ),
    ),
)
