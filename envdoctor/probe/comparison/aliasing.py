"""What an instance handed out, held for a while to see whether the instance changes it
afterwards.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Callable, Deque, Dict, NamedTuple, Tuple

from envdoctor.model.trajectory import Frozen
from envdoctor.probe.comparison.frozen import Difference, first_difference, freeze

HELD = 2  # calls whose values are held: what is written over is written over soon


class Handed(NamedTuple):
    """One value as it was when it was handed out."""

    name: str
    call: str
    value: Any
    frozen: Frozen


class Taker:
    """Is handed all that an instance returns."""

    def next(self, call: str, observation: Any, info: Any) -> None:
        """A call returned these."""
        raise NotImplementedError


class HandedOut(Taker):
    """Holds the observations and infos of the last calls; tells each key that changes later once,
    by `tell(change)`.

    A change is {what: "observation" | "info", key, id (of the object that was handed out, that
    holds the key), type, returned_by, changed_by, same (whether the later call handed out the very
    same object), difference, place, values} as a Difference has them.
    """

    def __init__(self, tell: Callable[[Dict[str, Any]], None]) -> None:
        self._tell = tell
        self._held: Deque[Tuple[Handed, Handed]] = deque(maxlen=HELD)
        self._told: Dict[str, None] = {}

    def next(self, call: str, observation: Any, info: Any) -> None:
        """A call returned these: look at what the earlier ones did, then hold them too."""
        later = {"observation": observation, "info": info}
        for pair in self._held:
            for handed in pair:
                difference = first_difference(handed.frozen, freeze(handed.value))
                if difference is not None and handed.name not in self._told:
                    self._told[handed.name] = None
                    self._tell(_change(handed, difference, call, later[handed.name]))
        self._held.append((_hand("observation", call, observation), _hand("info", call, info)))


def _hand(name: str, call: str, value: Any) -> Handed:
    return Handed(name, call, value, freeze(value))


def _change(handed: Handed, difference: Difference, call: str, later: Any) -> Dict[str, Any]:
    return {
        "what": handed.name,
        "key": handed.name + difference.key,
        "id": id(handed.value),
        "type": type(handed.value).__name__[:60],
        "returned_by": handed.call,
        "changed_by": call,
        "same": later is handed.value,
        "difference": difference.what,
        "place": difference.place,
        "values": difference.values,
    }
