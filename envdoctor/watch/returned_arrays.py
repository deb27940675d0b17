"""Results of step() with the lines of its code: arrays that are two values, and counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from envdoctor.analysis.episode_counts import set_back_at
from envdoctor.analysis.shared_arrays import shared_array
from envdoctor.model.finding import Location
from envdoctor.model.training_returned import AliasedArray, CountGoesOn


def with_names(array: AliasedArray) -> AliasedArray:
    """An array with its two names and the lines of them, as the source of the script has it."""
    place, text = array.defined, _text(array.defined)
    first, second = array.places
    known = shared_array(text, place.line, first, second)
    if known is None:
        return array
    bound, written = (replace(place, line=line) for line in (known.bound, known.written))
    return replace(array, names=known.names, bound=bound, location=written)


def with_set_back(count: CountGoesOn) -> CountGoesOn:
    """A count with the line of the source that sets it back, where one shows."""
    line = set_back_at(_text(count.defined), count.defined.line or 0, count.key)
    return replace(count, set_back=replace(count.defined, line=line)) if line else count


def _text(place: Location) -> str:
    """The source of a place; nothing where it cannot be read."""
    try:
        return Path(place.file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
