"""Circumstances of an exception that ended a training, beside its message."""

from __future__ import annotations

from typing import Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location

LAYER, GENERATOR, REGISTRAR = "layer", "generator", "registrar"
ACTION, KEY, CALLER, OBSERVATION = "action", "key", "caller", "observation"
#: How an action differs from those of its space.
MORE, LESS, SHAPE, KIND, DTYPE, BOUNDS = "more", "less", "shape", "kind", "dtype", "bounds"
AGENT = "agent"  # a dict of actions has none of a key
OLDER_SEED, BOTH, OTHER_LIBRARY = "older-seed", "both", "other-library"
BASE, SEARCHES = "base", "searches"  # of a LAYER


@dataclass(frozen=True)
class ErrorDetail:
    """A circumstance, by its `kind`. LAYER: a wrapper lacks an attribute; `names` are the class in
    it that has it, the attribute, BASE where that class wraps nothing, and SEARCHES where the
    wrapper has get_wrapper_attr(). GENERATOR: it cannot be pickled; `names` is its function, at
    `location`. REGISTRAR: `names` are modules that were not imported, and whose import registers
    the id. OTHER_LIBRARY: `names` are the library that knows the id, and the one that was asked.
    OLDER_SEED: `names` is the class of an environment without a seed(). BOTH: `names` is the
    variable that holds both values that reset() returned. ACTION: a step() raised that was given an
    action which is not in its action space; `names` are the action, the space, how they differ, and
    of MORE the length of the dimension that the space has not; of AGENT the keys of the actions and
    the one that they have not. KEY: a call of an environment at `location` returned the dict that
    has not the key; `names` are the methods, separated by "/", if
    several may have, the class, the number of keys, and the first of them. CALLER: nothing else is
    known, and a line of another file of the user's, at `location`, called what raised. OBSERVATION:
    a vectorizer did not take one; `names` are its shape, the class of the instances, and their
    observation space.
    """

    kind: str
    names: Tuple[str, ...] = ()
    location: Optional[Location] = None
