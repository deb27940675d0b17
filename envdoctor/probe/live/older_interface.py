"""Two versions of one interface that meet (that of before Gym 0.26 and the one after it), and two
libraries of one interface: what only values know of an exception that ends a script or a worker.
"""

from __future__ import annotations

import dis
import linecache
import re
from types import CodeType, FrameType
from typing import Dict, List, Optional, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.frameworks.names import REGISTRIES
from envdoctor.probe.ownership import Ownership

OLDER_SEED, BOTH, OTHER_LIBRARY = "older-seed", "both", "other-library"
CALLS, SEED = ("reset", "step"), "seed"
#: A line that gives a variable all that reset() returns.
ASSIGNED = r"^\s*{}\s*=\s*[\w.\[\]]*\breset\(.*\)\s*(#.*)?$"
Detail = Dict[str, object]


def older_seed(obj: object, name: Optional[str]) -> Detail:
    """The class of an environment of which the older interface's seed() was read."""
    kind = type(obj)
    is_environment = all(callable(getattr(kind, call, None)) for call in CALLS)
    return {"kind": OLDER_SEED, "names": [kind.__name__]} if name == SEED and is_environment else {}


def both(places: List[Tuple[FrameType, int]]) -> Detail:
    """The variable that holds both values that reset() returned, in the user's innermost line that
    reads one: a line of the same code gave them to it.
    """
    ownership = Ownership()
    for frame, line in reversed(places):
        code = frame.f_code
        if not ownership.is_users(code.co_filename):
            continue
        text = linecache.getline(code.co_filename, line)
        for name, value in list(frame.f_locals.items()):
            if type(value) is tuple and len(value) == 2 and type(value[1]) is dict:
                is_read = re.search(r"\b%s\b" % re.escape(name), text)
                if is_read and _is_of_reset(code, name):
                    return {"kind": BOTH, "names": [name]}
    return {}


def _is_of_reset(code: CodeType, name: str) -> bool:
    """Return whether a line of this code gives a variable all that reset() returns."""
    assigned = re.compile(ASSIGNED.format(re.escape(name)))
    lines = {number for _, number in dis.findlinestarts(code) if number}
    return any(assigned.search(linecache.getline(code.co_filename, each)) for each in lines)


def other_library(error: BaseException, ids: List[str]) -> Detail:
    """The library that knows an id which another one does not, and that one."""
    asked = type(error).__module__.partition(".")[0]
    for other in REGISTRIES if asked in REGISTRIES else ():
        registry = getattr(loaded.module("%s.envs.registration" % other), "registry", None)
        known = registry if isinstance(registry, dict) else loaded.own(registry, "env_specs")
        if other != asked and any(dict.__contains__(known or {}, each) for each in ids):
            return {"kind": OTHER_LIBRARY, "names": [other, asked]}
    return {}
