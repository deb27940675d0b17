"""Seeds that nothing gives, as the sources of a script have them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from envdoctor.analysis.default_seeds import leaves_out, line_that_seeds
from envdoctor.model.finding import Location
from envdoctor.model.training_draws import DefaultSeed
from envdoctor.model.training_events import Announced


def default_seed(event: Announced) -> DefaultSeed | None:
    """The seed of an event, with the line that makes a generator of it; None where the source does
    not show that the script leaves it out.
    """
    if event.location is None or event.origin is None:
        return None
    text = _text(event.location.file)
    if not leaves_out(text, event.location.line, event.message, event.method, event.calls):
        return None
    seed = DefaultSeed(event.method, event.number, event.message, event.origin, event.location)
    line = line_that_seeds(_text(event.where), event.type)
    return seed if line is None else replace(seed, made_at=Location(event.where, line))


def _text(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
