"""Arrays that a step() returns twice, with the lines that make and write them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from envdoctor.analysis.shared_arrays import shared_array
from envdoctor.model.training_returned import AliasedArray


def with_names(array: AliasedArray) -> AliasedArray:
    """An array with its two names and the lines of them, as the source of the script has it."""
    place = array.defined
    try:
        text = Path(place.file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return array
    first, second = array.places
    known = shared_array(text, place.line, first, second)
    if known is None:
        return array
    bound, written = (replace(place, line=line) for line in (known.bound, known.written))
    return replace(array, names=known.names, bound=bound, location=written)
