"""close() leaves processes running.

What it does
    Lists all that the environment's process started, directly or through others, before the
    constructor and after close(). A child that left its parent's session or was handed on to
    another parent is found as well. Under a vectorizer, PRC001 reports it.

Why it matters
    A simulator that goes on after close() keeps its memory, its GPU and its licence. After a night
    of trials the machine is full of them, and their owner is unknown.

How to fix it
    End the process, and wait for it, so that no zombie stays either. Where it starts processes of
    its own, give it a process group when it is started and end the whole group:

        def close(self):
            if self._simulator is not None:
                self._simulator.terminate()
                try:
                    self._simulator.wait(timeout=5)
                except subprocess.TimeoutExpired:
                    self._simulator.kill()
                    self._simulator.wait()
                self._simulator = None
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, ended_afterwards, sensor_life
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import left_open
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.after_close import Leftovers
from envdoctor.rules.wording.leftovers import listing


@rule(
    "CLS008",
    "close-leaves-processes",
    explains=Cause.PROCESSES_LEFT,
    where=DIRECT_ONLY,
    verb="drop",
    sensors=("processes",),
    looks_at={"life": LIFECYCLE},
    counts=left_open("processes"),
    follow_ups=("acquisitions",),
    judges_rendered=True,
    cured_in_close=True,
)
def close_leaves_processes(view: View) -> Iterator[Finding]:
    left = Leftovers.of(view, "processes", "process")
    if left.items:
        yield left.finding(
            close_leaves_processes,
            f"{left.count(plural='processes')} running{left.gone}: {listing(left.items.values())}",
            f"terminate {left.pronoun}{left.in_close}, and wait for the end: else a zombie stays.",
        )


SERVER = {"11": "simulator --port 4242", "12": "simulator --render"}

EXAMPLES = (
    Example(
        "a simulator and its helper go on",
        direct_view(sensor_life("processes", before={}, held=SERVER, collected=SERVER)),
        "close() leaves 2 processes running: simulator --port 4242, simulator --render",
    ),
    Example(
        "it has no close(), and the last reference does not end it either",
        direct_view(
            sensor_life("processes", before={}, held=SERVER, collected={"12": SERVER["12"]}),
            lacks=["close"],
        ),
        "the environment has no close(): once given up, it leaves 1 process running:"
        " simulator --render",
    ),
    Example(
        "the simulator ends with close()",
        direct_view(sensor_life("processes", before={}, made=SERVER, held={}, collected={})),
    ),
    Example(
        "they end by themselves: close() has them stopped in the background",
        direct_view(
            ended_afterwards(
                sensor_life("processes", before={}, held=SERVER, collected=SERVER),
                4.0,
                "processes",
                *SERVER,
            )
        ),
        "close() leaves 2 processes running until 4.0 s after it: simulator --port 4242,"
        " simulator --render",
    ),
)
