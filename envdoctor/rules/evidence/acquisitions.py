"""The lines of code that take what is kept, as the scenario that watches them saw it."""

from __future__ import annotations

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.model.errors import Acquisition
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.leftovers import acquisition_lines


def site_of(view: View, what: str, leak: Leak) -> Acquisition | None:
    """The line that takes such things in the operation that leaks, or the only line that takes
    any.
    """
    places = {line.place: line for line in acquisition_lines(view, what)}
    if len(places) == 1:
        return next(iter(places.values()))
    # What a whole episode takes, the short ones did not.
    wanted = {"create": "make", "cycle": "make"}.get(leak.operation, leak.operation)
    inside = [line for line in places.values() if line.verb.startswith(wanted)]
    return inside[0] if len(inside) == 1 else None
