"""close() stops in a wrapper.

What it does
    Follows close() from the outermost wrapper to the environment under all of them, and tells the
    wrapper in which it ends, where the environment's own close() does something. It is a note where
    nothing was seen that stays open.

Why it matters
    A wrapper that writes its own close() replaces the one that it inherits, which would call the
    next. What the environment opened stays open, and its own close(), which looks right, is never
    run.

How to fix it
    Pass the call on, at the end:

        class Recorder(gymnasium.Wrapper):
            def close(self):
                self.file.close()
                super().close()     # self.env.close(), where it is another kind of wrapper
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envdoctor.model.events import Event
from envdoctor.model.facts import CloseLayers
from envdoctor.model.finding import ENVIRONMENT, NOTE, WARNING, Finding
from envdoctor.rules.engine.examples import direct_view, fact, reading, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.close_layers import FOLLOWED_IN, stopping_wrapper
from envdoctor.rules.wording.leftovers import still_there

#: Sensors of what a close() gives back.
GIVEN_BACK = (
    "descriptors",
    "threads",
    "processes",
    "ports",
    "files",
    "shared-memory",
    "windows",
    "engine-containers",
)


def unseen(view: View) -> str:
    """Return the reason why the way of close() is unknown, or nothing."""
    run = view.trace(FOLLOWED_IN)
    return "" if run and run.fact(CloseLayers) else "how far close() comes was not seen"


@rule(
    "CLS022",
    "close-stops-in-wrapper",
    severity=WARNING,
    where=DIRECT_ONLY,
    needs=(FOLLOWED_IN, "life"),
    verb="close",
    looks_at={FOLLOWED_IN: "make reset close"},
    unjudged=unseen,
    blames_itself=True,
)
def close_stops_in_wrapper(view: View) -> Iterator[Finding]:
    stopping = stopping_wrapper(view)
    if stopping is None:
        return
    open_still = any(still_there(view, sensor)[0] for sensor in GIVEN_BACK)
    yield close_stops_in_wrapper.finding(
        f"{stopping.wrapper.name}.close() does not call the next close(): {stopping.inner.name},"
        " which it wraps, is never closed",
        stopping.remedy,
        aim=stopping.aim(),
        location=stopping.place,
        severity=WARNING if open_still else NOTE,
        blame=ENVIRONMENT,
        key=(stopping.wrapper.name,),
        evidence={"never_called": f"{stopping.inner.name}.close()"},
    )


_PLACE = {"file": "maze.py", "line": 30, "function": "Recorder.close"}
_LAYERS: dict[str, Any] = {
    "layers": [
        {"name": "TimeLimit", "called": True, "inherits": True, "place": _PLACE},
        {"name": "Recorder", "called": True, "inherits": True, "place": _PLACE},
        {"name": "Rescale", "called": False, "inherits": True, "place": _PLACE},
    ],
    "inner": {"name": "Maze", "place": {"file": "maze.py", "line": 9}},
}
_CLOSED: Event = {"event": "inner", "t": 0.0, "pid": 1, "what": "closed", "base": 1, "id": 1}


def _view(layers: dict[str, object], *events: Event) -> View:
    life = trace(reading("before", {}), reading("held", {"descriptors": {"7": "/home/me/log"}}))
    names = (verb("reset"), *events, verb("close"), fact("close-layers", layers))
    return direct_view(life, trace(*names, name=FOLLOWED_IN))


EXAMPLES = (
    Example(
        "the wrapper in the middle ends it",
        _view(_LAYERS),
        "Recorder.close() does not call the next close(): Maze, which it wraps, is never closed",
    ),
    Example(
        "the environment has nothing to close",
        _view({**_LAYERS, "inner": {**_LAYERS["inner"], "idle": True}}),
    ),
    Example("it comes through", _view(_LAYERS, _CLOSED)),
)
