"""Objects that an instance keeps of episodes that it has not played before. Each reset() of a round
has a new seed, and before each reading the first seed is given again: what differs then was kept.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Callable, Dict, List, NamedTuple, Optional

from envdoctor.probe.growth.chains import own_namespace
from envdoctor.probe.growth.reachable import array_bytes, below, size_of

MOST_NAMED = 2


class Reached(NamedTuple):
    """The bytes that an instance leads to, the objects of the user's classes among them, and the
    bytes of arrays by the attribute that has them ("Map.image").
    """

    size: int
    objects: Dict[str, int]
    arrays: Dict[str, int]


def read(root: object, is_users: Callable[[str], bool]) -> Optional[Reached]:
    """A reading; None where there is too much to look at."""
    values = below(root)
    if values is None:
        return None
    own: Dict[type, bool] = {}
    objects: Dict[str, int] = Counter()
    arrays: Dict[str, int] = Counter()
    for value in values:
        kind = type(value)
        if kind not in own:
            own[kind] = is_users(_file_of(kind))
        if not own[kind]:
            continue
        objects[kind.__name__] += 1
        for name, held in (own_namespace(value) or {}).items():
            arrays["%s.%s" % (kind.__name__, name)] += array_bytes(held)
    return Reached(sum(map(size_of, values)), objects, arrays)


def _file_of(kind: type) -> str:
    """The file of the module of a class; "<none>" of one that has none."""
    return getattr(sys.modules.get(kind.__module__), "__file__", None) or "<none>"


def kept(resets: int, readings: List[Reached]) -> Dict[str, object]:
    """The fact: the bytes that each round of so many `resets` kept, and what grew with each of the
    rounds: the objects of a class, the bytes of arrays, in all of them.
    """
    pairs = list(zip(readings, readings[1:]))
    return {
        "resets": resets,
        "rounds": [later.size - earlier.size for earlier, later in pairs],
        "objects": _grown([reading.objects for reading in readings]),
        "arrays": _grown([reading.arrays for reading in readings]),
    }


def _grown(counts: List[Dict[str, int]]) -> Dict[str, int]:
    """The names of which more was counted in each reading, by how much in all, the most first."""
    rises = {
        name: counts[-1][name] - counts[0].get(name, 0)
        for name in counts[-1]
        if all(later.get(name, 0) > first.get(name, 0) for first, later in zip(counts, counts[1:]))
    }
    return dict(sorted(rises.items(), key=lambda rise: -rise[1])[:MOST_NAMED])
