"""An event loop keeps running in the thread between the environment's calls.

What it does
    Asks asyncio, before the import and after each call of the first life, whether a loop is running
    in the thread. Between two calls of an environment, no loop should run. One does where a call
    returned from within a running loop: Playwright's synchronous API does so from its start to its
    stop.

Why it matters
    While a loop runs, asyncio.run() raises "cannot be called from a running event loop" in this
    thread, and so does every loop.run_until_complete(): an agent that asks a model between two
    steps fails, although its code never touches the environment.

How to fix it
    Keep the loop in a thread of the environment's own:

        self._thread = concurrent.futures.ThreadPoolExecutor(1)

        def reset(self, *, seed=None, options=None):
            return self._thread.submit(self._reset, seed).result()

    Or open what needs it for one call, and close it before the call returns.
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import OneThread
from envdoctor.model.finding import ENVIRONMENT, WARNING, Finding
from envdoctor.rules.engine.examples import direct_view, sensor_life
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.side_effects import effects, sentence, where


@rule(
    "ASY005",
    "running-loop",
    severity=WARNING,
    where=DIRECT_ONLY,
    sensors=("running-loop",),
    looks_at={"life": LIFECYCLE},
    follow_ups=("effects",),
    blames_itself=True,
)
def running_loop(view: View) -> Iterator[Finding]:
    changes = effects(view, "running-loop")
    first = next((effect for effect in changes if effect.new), None)
    if first is None:
        return
    ended = next((effect.phase for effect in changes if not effect.new), "")
    span = f"from {first.by} to {ended}" if ended else f"after {first.by}"
    yield running_loop.finding(
        f"{span} an event loop ({first.new}) runs in the thread, so asyncio.run() fails there"
        f"{sentence(first)}",
        f"let {view.class_name} run its loop in a thread of its own, and wait there for the result"
        " of each call.",
        aim=OneThread(),
        location=where(view, first),
        blame=ENVIRONMENT,
        evidence={"loop": first.new, "until": ended or None, **first.evidence},
    )


_NONE: dict[str, str] = {}
_RUNS = {"running event loop": "uvloop.Loop"}

EXAMPLES = (
    Example(
        "a browser is driven by Playwright's synchronous API",
        direct_view(
            sensor_life(
                "running-loop", before=_NONE, made=_NONE, reset=_RUNS, stepped=_RUNS, held=_NONE
            )
        ),
        "from reset() to close() an event loop (uvloop.Loop)"
        " runs in the thread, so asyncio.run() fails there",
    ),
    Example(
        "it is never stopped",
        direct_view(sensor_life("running-loop", before=_NONE, made=_RUNS, held=_RUNS)),
        "after the constructor an event loop (uvloop.Loop) runs"
        " in the thread, so asyncio.run() fails there",
    ),
    Example(
        "each call ends its own loop",
        direct_view(sensor_life("running-loop", before=_NONE, reset=_NONE, held=_NONE)),
    ),
)
