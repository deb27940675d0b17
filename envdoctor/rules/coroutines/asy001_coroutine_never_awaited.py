"""A coroutine is never awaited.

What it does
    Hears, through the plain life, Python's own "coroutine was never awaited" for each coroutine
    that a line of the environment's own code made. What a library makes and forgets is not
    counted, nor what other threads make, nor a line that raises, so that its await is not reached.

Why it matters
    A call without await does nothing at all, silently: Python's warning is printed once, when the
    coroutine is freed, and most training loops hide it. `client.close()` of an asynchronous client
    closes nothing: the server keeps its session, and refuses the next one when it is full.

How to fix it
    Await it. An ordinary method runs it to its end, on the loop on which the client was opened:

        def close(self):
            self._loop.run_until_complete(self._client.close())
            self._loop.close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import AwaitCall
from envdoctor.model.errors import Frame
from envdoctor.model.events import Event
from envdoctor.model.facts import Unawaited
from envdoctor.model.finding import ENVIRONMENT, WARNING, Finding, Location
from envdoctor.model.records import VerbRecord
from envdoctor.rules.engine.examples import direct_view, fact, raised, trace, verb
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import DIRECT_ONLY, EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.leftovers import place_of


@rule(
    "ASY001",
    "coroutine-never-awaited",
    severity=WARNING,
    where=DIRECT_ONLY,
    looks_at={"life": LIFECYCLE},
    counts=counted("coroutines never awaited", "times"),
    blames_itself=True,
    also_reads=(EVERYTHING,),
)
def coroutine_never_awaited(view: View) -> Iterator[Finding]:
    run = view.trace("life")
    errors = run.records(VerbRecord, state="raised") if run else ()
    failing = {(place.file, place.line) for error in errors if (place := place_of(error.error))}
    texts = [
        unawaited
        for unawaited in (run.facts(Unawaited) if run else ())
        if (unawaited.place.file, unawaited.place.line) not in failing
    ]
    for unawaited in {(unawaited.name, unawaited.place): unawaited for unawaited in texts}.values():
        times = sum(
            (other.name, other.place) == (unawaited.name, unawaited.place) for other in texts
        )
        method = unawaited.name.rpartition(".")[2]
        caller = (
            "as an ordinary method" if unawaited.by_its_api else f"in {unawaited.place.function}()"
        )
        yield coroutine_never_awaited.finding(
            f"{unawaited.name}() is a coroutine that is never awaited, so it never runs:"
            f" called {caller}",
            f"make {method}() an ordinary method: def in place of async def."
            if unawaited.by_its_api
            else "await it; in an ordinary method, run it on the loop on which the client"
            f" was opened: loop.run_until_complete(...{method}()).",
            aim=None if unawaited.by_its_api else _aim(unawaited.place),
            location=unawaited.place,
            blame=ENVIRONMENT,
            key=(unawaited.name, unawaited.place.function),
            evidence={"coroutine": unawaited.name, "times": times},
        )


def _aim(place: Location) -> AwaitCall:
    return AwaitCall(Frame(place.file, place.line))


def _forgotten(name: str = "Client.close", by_its_api: bool = False) -> Event:
    place = {"file": "env.py", "line": 9, "function": "close"}
    return fact("unawaited", {"name": name, "place": place, "by_its_api": by_its_api})


EXAMPLES = (
    Example(
        "the client's close() is only called, in each of two lives",
        direct_view(trace(_forgotten(), _forgotten(), verb("close"))),
        "Client.close() is a coroutine that is never awaited, so it never runs: called in close()",
    ),
    Example(
        "close() is a coroutine, which the server of the environment only calls",
        direct_view(trace(_forgotten("Arm.close", by_its_api=True), verb("close"))),
        "Arm.close() is a coroutine that is never awaited, so it never runs: called as an"
        " ordinary method",
    ),
    Example(
        "the loop on which it is run is closed already",
        direct_view(
            trace(
                _forgotten(),
                verb("close", "raised", error=raised("RuntimeError", "closed", "env.py", 9)),
            )
        ),
    ),
    Example("all are awaited", direct_view(trace(verb("close")))),
)
