"""close() leaves threads running.

What it does
    Compares the threads of the process, Python's and native ones, before the constructor and after
    close(). Read twice: with the closed object still held, and after it was dropped and collected,
    with two seconds of grace.

Why it matters
    A forgotten thread keeps its environment in memory, goes on using the processor, and can end the
    process with an error long after the training. Forking a process that has threads may hang the
    child.

How to fix it
    Tell the thread to end, and wait until it has:

        def close(self):
            self._stop.set()
            if self._thread is not None:
                self._thread.join(timeout=5.0)
                self._thread = None
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, raised, sensor_life, trace, verb
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import left_open
from envdoctor.rules.engine.registry import IN_PROCESS, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.after_close import Leftovers
from envdoctor.rules.wording.leftovers import listing


@rule(
    "CLS007",
    "close-leaves-threads",
    explains=Cause.THREADS_LEFT,
    where=IN_PROCESS,
    verb="drop",
    sensors=("threads",),
    looks_at={"life": LIFECYCLE},
    counts=left_open("threads"),
    follow_ups=("acquisitions",),
    judges_rendered=True,
    cured_in_close=True,
)
def close_leaves_threads(view: View) -> Iterator[Finding]:
    left = Leftovers.of(view, "threads", "thread")
    if left.items:
        yield left.finding(
            close_leaves_threads,
            f"{left.count()} running{left.gone}: {listing(left.items.values())}",
            f"stop and join {left.pronoun}{left.in_close}.",
        )


MAIN = {"1": "python thread 'MainThread'"}
RECORDER = {**MAIN, "9": "python thread 'recorder' (target sick.record)"}
POOL = {**MAIN, "7": "native thread 'a'", "8": "native thread 'b'"}
_UNMADE = trace(
    verb("make", "raised", error=raised("AttributeError", "no float_")),
    *sensor_life("threads", before=MAIN, dropped=POOL, collected=POOL).events,
)

EXAMPLES = (
    Example(
        "a recorder goes on",
        direct_view(sensor_life("threads", before=MAIN, held=RECORDER, collected=RECORDER)),
        "close() leaves 1 thread running: python thread 'recorder' (target sick.record)",
    ),
    Example(
        "a native pool is freed with its object",
        direct_view(sensor_life("threads", before=MAIN, held=POOL, dropped=MAIN, collected=MAIN)),
        "close() leaves 2 threads running until the closed object is dropped: native thread"
        " 'a', native thread 'b'",
    ),
    Example("the constructor raises behind a library's pool", direct_view(_UNMADE)),
    Example(
        "threads of a library that were there before",
        direct_view(sensor_life("threads", before=POOL, held=POOL, collected=POOL)),
    ),
)
