"""close() raises when it is called a second time.

What it does
    Makes the environment, resets it and closes it twice. Reported when only the second call raises.

Why it matters
    An environment is easily closed twice: by the training script and by the wrapper around it, by
    an evaluation callback and in a `finally`, by a `with` block and at exit. An error there hides
    the one that ended the run.

How to fix it
    Let close() forget what it has closed:

        def close(self):
            if self._client is not None:
                self._client.disconnect()
                self._client = None
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import Skip
from envdoctor.model.errors import NO_ERROR, one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.finding import WARNING, Finding
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import direct_view, raised, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.close_calls import closes
from envdoctor.rules.wording.leftovers import place_of


@rule(
    "CLS003",
    "second-close-raises",
    severity=WARNING,
    where=DIRECT_ONLY,
    needs=("close-twice",),
    verb="close",
    looks_at={"close-twice": "make reset close"},
)
def second_close_raises(view: View) -> Iterator[Finding]:
    calls = closes(view.trace("close-twice"))
    if [call.state for call in calls[:2]] != ["ended", "raised"]:
        return
    error = calls[1].error
    yield second_close_raises.finding(
        f"a second close() raises {one_line(error)}",
        f"let {view.class_name}.close() forget what it has closed (set it to None) and skip it the"
        " next time.",
        aim=Skip(error or NO_ERROR),
        location=place_of(error) or view.locate("close"),
        evidence={"error": wire_of(error)},
    )


def _twice(*calls: Event) -> Trace:
    return trace(
        verb("make"),
        verb("reset"),
        *calls,
        verb("drop"),
        name="close-twice",
        script="make reset close close drop",
    )


REFUSED = verb("close", "raised", error=raised("RuntimeError", "not connected"))

EXAMPLES = (
    Example(
        "the client is disconnected already",
        direct_view(_twice(verb("close"), REFUSED)),
        "a second close() raises RuntimeError: not connected",
    ),
    Example("both calls work", direct_view(_twice(verb("close"), verb("close")))),
    Example(
        "the first call raised too: that is another illness", direct_view(_twice(REFUSED, REFUSED))
    ),
)
