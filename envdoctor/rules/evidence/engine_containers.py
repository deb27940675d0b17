"""Lines of code that asked for containers."""

from __future__ import annotations

from collections.abc import Iterable

from envdoctor.model.errors import Acquisition, Frame
from envdoctor.model.records import AcquisitionRecord
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.leftovers import spot


def lines_that_asked(view: View, scenarios: Iterable[str]) -> list[Acquisition]:
    """Each line of code that asked for containers in these scenarios, once."""
    result: dict[Frame, Acquisition] = {}
    for name in scenarios:
        trace = view.trace(name)
        for event in trace.records(AcquisitionRecord, what="container") if trace else ():
            if event.acquisition is not None:
                result[event.acquisition.frame] = event.acquisition
    return list(result.values())


def asked_for_in(lines: list[Acquisition]) -> str:
    """` (asked for in Sick.reset(), env.py:31)`, where one line asked for all of them."""
    return f" (asked for in {spot(lines[0].frame)})" if len(lines) == 1 else ""
