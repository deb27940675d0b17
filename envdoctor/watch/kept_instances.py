"""Closed instances that are kept, as a process says it, with the line that registers them."""

from __future__ import annotations

from pathlib import Path

from envdoctor.analysis.made_objects import line_that_makes
from envdoctor.model.finding import Location
from envdoctor.model.training_ends import KeptInstances
from envdoctor.model.training_events import Announced

REGISTERS = "register"


def kept_instances(event: Announced, closed_at: Location, made: Announced | None) -> KeptInstances:
    """Those of an event, the first of which was closed at a place, and made as another one says."""
    return KeptInstances(
        event.number,
        event.where,
        event.instance_class,
        closed_at if closed_at.line else None,
        _registration(made.location) if made is not None and made.location is not None else None,
    )


def _registration(place: Location) -> Location | None:
    """The only call of register() in the file of a line."""
    try:
        text = Path(place.file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    line = line_that_makes(text, 0, REGISTERS)
    return Location(place.file, line, place.function) if line is not None else None
