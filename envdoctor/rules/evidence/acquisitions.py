"""The lines of code that take what is kept, or ask for containers, as scenarios saw them."""

from __future__ import annotations

from collections.abc import Iterable

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import LIFECYCLE
from envdoctor.model.errors import Acquisition, Frame
from envdoctor.model.records import AcquisitionRecord
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.leftovers import (
    acquisition_lines,
    is_alike,
    left_for_good,
    names_a_file,
    spot,
)


def site_of(view: View, what: str, leak: Leak) -> Acquisition | None:
    """The line that takes such things in the operation that leaks, or the only line that takes
    any. Where lives of that very play left some, a line that took a file is not the one unless
    such a file is left. (Sockets and programs are called otherwise where they are taken.)
    """
    lines = acquisition_lines(view, what)
    left = left_for_good(view, what) if leak.side == LIFECYCLE else []
    if left:
        lines = [
            line
            for line in lines
            if not names_a_file(line.target) or any(is_alike(line.target, text) for text in left)
        ]
    places = {line.place: line for line in lines}
    if len(places) == 1:
        return next(iter(places.values()))
    # What a whole episode takes, the short ones did not.
    wanted = {"create": "make", "cycle": "make"}.get(leak.operation, leak.operation)
    inside = [line for line in places.values() if line.verb.startswith(wanted)]
    return inside[0] if len(inside) == 1 else None


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
