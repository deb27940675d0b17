"""Actions that fill what is between -1 and 1, of a space that reaches beyond. No code of the user's
runs for it.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Set, Tuple

from envdoctor.model.page import FIRST, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.live.given_actions import HIGH, LOW, SPACE, space_of
from envdoctor.probe.live.hosted_twice import HostedInstances
from envdoctor.probe.live.returned import Array
from envdoctor.probe.ownership import frame_of

BEYOND, END = 1.25, 0.999  # the least bound of such a space, and where what is cut, or a tanh, ends
VALUES, ENDS, INSIDE = 256, 8, 32  # that are needed: in all, at each end, and different ones within
MOST = 64  # numbers of an action


class _Narrow:
    """The actions of an instance: which of their numbers may reach beyond, and how far; how many
    were looked at, and were at each end.
    """

    __slots__ = ("bounds", "ends", "inside", "is_journaled", "places", "size", "values")

    def __init__(self, size: int, places: List[int], bounds: Tuple[float, float]) -> None:
        self.size, self.places, self.bounds = size, places, bounds
        self.values, self.ends, self.is_journaled = 0, [0, 0], False
        self.inside: Set[float] = set()

    def add(self, action: List[float]) -> bool:
        """Take in an action. Return whether it is within -1 and 1."""
        for place in self.places:
            value = action[place]
            if not abs(value) <= 1.0:
                return False
            self.values += 1
            if abs(value) >= END:
                self.ends[value > 0] += 1
            elif len(self.inside) < INSIDE:
                self.inside.add(value)
        return True

    def is_filled(self) -> bool:
        """Return whether enough of them have come, and reach from end to end."""
        is_wide = min(self.ends) >= ENDS and len(self.inside) >= INSIDE
        return is_wide and self.values >= VALUES


_known: Dict[Tuple[str, int], Optional[_Narrow]] = {}


def look(instances: HostedInstances, row: int, instance: object, action: object) -> None:
    """A step() of the instance of a row came back, which was given an action."""
    key = (instances.name, row)
    if key not in _known:
        _known[key] = _narrow(space_of(instance, SPACE))
    known = _known[key]
    if known is None:
        return
    numbers = _numbers(action)
    fits = numbers is not None and len(numbers) == known.size and known.add(numbers)
    if fits and (known.is_journaled or not known.is_filled()):
        return
    place, bounds = instances.where()[0], "from %g to %g" % known.bounds
    if not fits:
        _known[key] = None
    if fits or known.is_journaled:  # what was journaled does not hold any more
        known.is_journaled = True
        counts = {"number": known.values, "calls": sum(known.ends)} if fits else {"number": 0}
        keys = {"page": instances.name, "row": row // WIDTH - FIRST + 1, "message": bounds}
        instances.tell("narrow-actions", frame=frame_of(place), **keys, **counts)


def _narrow(space: object) -> Optional[_Narrow]:
    """The counts for the actions of a space; None of one that does not reach beyond."""
    low, high = (_numbers(loaded.attributes(space).get(name)) for name in (LOW, HIGH))
    if low is None or high is None:
        return None
    places = [
        at
        for at, (least, most) in enumerate(zip(low, high))
        if -float("inf") < least <= -BEYOND and BEYOND <= most < float("inf")
    ]
    bounds = [low[at] for at in places], [high[at] for at in places]
    return _Narrow(len(low), places, (min(bounds[0]), max(bounds[1]))) if places else None


def _numbers(value: Array) -> Optional[List[float]]:
    """The fractions of an array of NumPy's, or a number; None of what else there is."""
    kind, numpy = type(value), loaded.module("numpy")
    if kind is float:
        return [value]
    is_array = numpy is not None and kind is numpy.ndarray
    if not is_array or value.dtype.kind != "f" or not 0 < value.size <= MOST:
        return None
    return [float(each) for each in value.reshape(-1).tolist()]
