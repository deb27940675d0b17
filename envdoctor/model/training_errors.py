"""Circumstances of an exception that ended a training, beside its message."""

from __future__ import annotations

from typing import Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location

#: A wrapper lacks an attribute. Names: the class in it that has it, the attribute, BASE where that
#: class wraps nothing, and SEARCHES where the wrapper has get_wrapper_attr().
LAYER, BASE, SEARCHES = "layer", "base", "searches"
#: It cannot be pickled. Name: its function, at the location.
GENERATOR = "generator"
#: Names: the modules that were not imported, and whose import registers the id.
REGISTRAR = "registrar"
#: Names: the library that knows the id, and the one that was asked.
OTHER_LIBRARY = "other-library"
#: Name: the class of an environment without a seed().
OLDER_SEED = "older-seed"
#: Name: the variable that holds both values that reset() returned.
BOTH = "both"
#: A step() raised that was given an action which is not in its action space. Names: the action, the
#: space, how they differ (below), and of MORE the length of the dimension that the space has not;
#: of AGENT the keys of the actions, and the one that they have not.
ACTION, AGENT = "action", "agent"
MORE, LESS, SHAPE, KIND, DTYPE, BOUNDS = "more", "less", "shape", "kind", "dtype", "bounds"
#: A call of an environment, at the location, returned the dict that has not the key. Names: the
#: methods, separated by "/" where several may have, the class, the number of keys, and the first
#: of them.
KEY = "key"
#: A constructor raised that was given what is wrapped in its class already. Name: the class; the
#: location is the line that calls it.
AGAIN = "again"
#: Nothing else is known, and a line of another file of the user's called what raised.
CALLER = "caller"
#: A vectorizer did not take one. Names: its shape, the class of the instances, and their
#: observation space.
OBSERVATION = "observation"


@dataclass(frozen=True)
class ErrorDetail:
    """A circumstance, by its `kind`; the `names` and the `location` are what that says."""

    kind: str
    names: Tuple[str, ...] = ()
    location: Optional[Location] = None
