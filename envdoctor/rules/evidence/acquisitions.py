"""The lines of code that take what is kept, as the scenario that watches them saw it."""

from __future__ import annotations

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import LIFECYCLE
from envdoctor.model.errors import Acquisition
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.leftovers import (
    acquisition_lines,
    is_alike,
    left_for_good,
    names_a_file,
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
