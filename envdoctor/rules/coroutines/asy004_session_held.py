"""The server is full, because the sessions of closed instances are still held.

What it does
    Looks at the calls that a server refused because it has no room, where a client of that server
    is still connected after close(). A server that is full for another reason, other users for one,
    is not the environment's: the error itself is reported then (API014, API015).

Why it matters
    A server for four sessions refuses the fifth. A training that makes a new environment now and
    then stops there, hours later, with an error that speaks of the server and not of close().

How to fix it
    End the session in close(), and wait for its end:

        async def close(self):
            await self._client.close()

    In an ordinary method, the client that is driven without coroutines ends it:

        def close(self):
            self._client.close()
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from envdoctor.frameworks import client_cure, says_full
from envdoctor.model.environment_aims import CallInClose
from envdoctor.model.errors import one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.finding import ENVIRONMENT, Finding
from envdoctor.rules.engine.examples import direct_view, fact, life_trace, raised, trace, verb
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import DIRECT_ONLY, EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.failures import failures
from envdoctor.rules.evidence.tasks import sessions_held
from envdoctor.rules.wording.leftovers import its_close


@rule(
    "ASY004",
    "session-held",
    where=DIRECT_ONLY,
    verb="close",
    looks_at={"life": LIFECYCLE},
    blames_itself=True,
    cured_in_close=True,
    also_reads=(EVERYTHING,),
    in_leak_check=True,
)
def session_held(view: View) -> Iterator[Finding]:
    held = Counter((client.kind, client.attribute) for client in sessions_held(view))
    refused = next((failure for failure in failures(view) if says_full(failure.error)), None)
    if refused is None or not held:
        return
    (kind, attribute), _ = held.most_common(1)[0]
    what = f"{kind} self.{attribute}" if attribute else kind
    yield session_held.finding(
        f"{refused.call} is refused, because the server is full: close() leaves the {what}"
        " connected, so the server holds a session of each closed instance",
        f"{client_cure(kind, attribute)} in {its_close(view)}.",
        aim=CallInClose((f"self.{attribute}.close()",)) if attribute else None,
        location=view.locate("close"),
        blame=ENVIRONMENT,
        key=(kind,),
        evidence={
            "kind": kind,
            "attribute": attribute,
            "refused": one_line(refused.error),
            "error": wire_of(refused.error),
            "scenario": refused.scenario,
        },
    )


_FULL = raised(
    "RuntimeError",
    "Server error: Server at capacity: 4/4 sessions active (code: CAPACITY_REACHED)",
    "env.py",
    14,
)


def _view(*events: Event, full: bool = True) -> View:
    error = _FULL if full else raised("RuntimeError", "no route to host", "env.py", 14)
    return direct_view(
        trace(*life_trace(before={}, dropped={}).of("reading"), verb("close"), *events),
        trace(verb("make"), verb("reset", "raised", error=error), name="reuse"),
    )


def _left() -> Event:
    return fact("client-left", {"kind": "OpenEnv client", "attribute": "client", "life": 0})


EXAMPLES = (
    Example(
        "close() forgets the client",
        _view(_left()),
        "reset() is refused, because the server is full: close() leaves the OpenEnv client"
        " self.client connected, so the server holds a session of each closed instance",
    ),
    Example("others use the server", _view()),
    Example("it fails for another reason", _view(_left(), full=False)),
)
