"""Which lines of code asked for containers."""

from __future__ import annotations

from collections.abc import Iterable

from envdoctor.model.records import AcquisitionRecord
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.leftovers import spot


def lines_that_asked(view: View, scenarios: Iterable[str]) -> list[dict[str, object]]:
    """Each line of code that asked for containers in these scenarios, once."""
    found = {}
    for name in scenarios:
        played = view.trace(name)
        for event in played.records(AcquisitionRecord, what="container") if played else ():
            if event.frame is not None:
                found[event.frame] = {"target": event.target, **event.frame.wire}
    return list(found.values())


def asked_for_in(lines: list[dict[str, object]]) -> str:
    """` (asked for in Sick.reset(), env.py:31)`, where one line asked for all of them."""
    return f" (asked for in {spot(lines[0])})" if len(lines) == 1 else ""
