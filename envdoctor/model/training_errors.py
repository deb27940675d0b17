"""Circumstances of an exception that ended a training, beside its message."""

from __future__ import annotations

from typing import Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location

LAYER, GENERATOR, REGISTRAR = "layer", "generator", "registrar"
BASE, SEARCHES = "base", "searches"  # of a LAYER


@dataclass(frozen=True)
class ErrorDetail:
    """A circumstance, by its `kind`. LAYER: a wrapper lacks an attribute; `names` are the class in
    it that has it, the attribute, BASE where that class wraps nothing, and SEARCHES where the
    wrapper has get_wrapper_attr(). GENERATOR: it cannot be pickled; `names` is its function, at
    `location`. REGISTRAR: `names` are modules that were not
    imported, and whose import registers the id.
    """

    kind: str
    names: Tuple[str, ...] = ()
    location: Optional[Location] = None
