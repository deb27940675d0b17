"""close() raises when the environment was never reset.

What it does
    Makes the environment and closes it at once.

Why it matters
    Managers build an environment only to read its spaces, and close it without ever resetting it.
    Trainers close all they made when one of many fails to start. Where close() needs what reset()
    makes, both end in an error that hides the real one, and what the constructor took
    stays behind.

How to fix it
    Give every attribute that close() looks at a value in __init__(), and skip what was never made:

        def __init__(self):
            self._game = None  # started by the first reset()

        def close(self):
            if self._game is not None:
                self._game.quit()
                self._game = None
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envdoctor.model.environment_aims import Skip
from envdoctor.model.errors import NO_ERROR, kind_of, one_line, wire_of
from envdoctor.model.finding import Finding
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import direct_view, raised, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.close_calls import closes
from envdoctor.rules.evidence.reuse import convention, in_words
from envdoctor.rules.wording.leftovers import place_of

RETURN = "take sys.exit() out of what close() calls: a program that closes an environment goes on."


@rule(
    "CLS002",
    "close-before-reset-raises",
    where=DIRECT_ONLY,
    needs=("close-before-reset",),
    verb="close",
    looks_at={"close-before-reset": "make close"},
)
def close_before_reset_raises(view: View) -> Iterator[Finding]:
    for close in closes(view.trace("close-before-reset")):
        if close.state == "raised":
            exits = kind_of(close.error).endswith("SystemExit")
            yield close_before_reset_raises.finding(
                f"close() before the first reset() raises {one_line(close.error)}",
                RETURN if exits else remedy(view),
                aim=None if exits else Skip(close.error or NO_ERROR, unopened=True),
                location=place_of(close.error) or view.locate("close"),
                evidence={"error": wire_of(close.error)},
            )


def remedy(view: View) -> str:
    known = convention(view)
    if known:
        return in_words(known.close_only_what_is_open, view)
    return (
        f"set what close() looks at in {view.class_name}.__init__(), and let close() skip what was"
        " never made."
    )


def _untouched(state: str, **keys: Any) -> Trace:
    script = "make close drop"
    return trace(
        verb("make"),
        verb("close", state, **keys),
        verb("drop"),
        name="close-before-reset",
        script=script,
    )


EXAMPLES = (
    Example(
        "close() needs what reset() makes",
        direct_view(_untouched("raised", error=raised("AttributeError", "no attribute '_game'"))),
        "close() before the first reset() raises AttributeError: no attribute '_game'",
    ),
    Example(
        "close() ends the program",
        direct_view(_untouched("raised", error=raised("SystemExit", "", function="stop"))),
        "close() before the first reset() raises SystemExit",
    ),
    Example("close() finds nothing to do", direct_view(_untouched("ended"))),
)
