"""Which lines of code asked for containers."""

from __future__ import annotations

from collections.abc import Iterable

from envdoctor.model.errors import Acquisition, Frame
from envdoctor.model.records import AcquisitionRecord
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.leftovers import spot


def lines_that_asked(view: View, scenarios: Iterable[str]) -> list[Acquisition]:
    """Each line of code that asked for containers in these scenarios, once."""
    found: dict[Frame, Acquisition] = {}
    for name in scenarios:
        played = view.trace(name)
        for event in played.records(AcquisitionRecord, what="container") if played else ():
            if event.acquisition is not None:
                found[event.acquisition.frame] = event.acquisition
    return list(found.values())


def asked_for_in(lines: list[Acquisition]) -> str:
    """` (asked for in Sick.reset(), env.py:31)`, where one line asked for all of them."""
    return f" (asked for in {spot(lines[0].frame)})" if len(lines) == 1 else ""
