"""Values that an instance returned, held for a while to see whether the instance changes them
afterwards; and the actions that it is given, which step() may write into.
"""

from __future__ import annotations

from collections import deque
from typing import Callable, Deque, Dict, NamedTuple, Optional, Tuple

from envdoctor.model.trajectory import Frozen
from envdoctor.probe.comparison.frozen import ValueDifference, first_difference, freeze

#: The kinds of actions that belong to the caller. An object of the environment's own may be there
#: for it to write into.
CALLERS = ("dict", "list", "ndarray", "tuple")
ACTION = "action"
VALUES = ("value", "contents")  # a container that gets shorter is used up, an array is not

HELD = 2  # calls whose values are held: what is written over is written over soon


class Returned(NamedTuple):
    """One value as it was when it was returned."""

    name: str
    call: str
    value: object
    frozen: Frozen


class Taker:
    """Gets all that an instance returns."""

    def next(self, call: str, observation: object, info: object) -> None:
        """A call returned these."""
        raise NotImplementedError

    def before(self) -> None:
        """The next reset() or step() is about to be called."""

    def stepped(self, asked: Frozen, action: object) -> None:
        """A step() came back: its action, and how it was frozen before."""


class ReturnedArrays(Taker):
    """Holds the observations and infos of the last calls; tells each key that changes later once,
    by `tell(change)`.

    A change is {what: "observation" | "info", key, id (of the object that was returned, that
    holds the key), type, returned_by, changed_by, same (whether the later call returned the very
    same object), difference, place, values} as a Difference has them. The first action that step()
    writes into is reported by `tell_action({type, key, difference, place, values})`.
    """

    def __init__(
        self,
        tell: Callable[[Dict[str, object]], None],
        tell_action: Callable[[Dict[str, object]], None],
    ) -> None:
        self._tell = tell
        self._tell_action = tell_action
        self._held: Deque[Tuple[Returned, Returned]] = deque(maxlen=HELD)
        self._reported: Dict[str, None] = {}

    def next(self, call: str, observation: object, info: object) -> None:
        """A call returned these: look at what the earlier ones did, then hold them too."""
        later = {"observation": observation, "info": info}
        for pair in self._held:
            for returned in pair:
                difference = first_difference(returned.frozen, freeze(returned.value))
                if difference is not None and returned.name not in self._reported:
                    self._reported[returned.name] = None
                    self.note(returned)
                    self._tell(_change(returned, difference, call, later[returned.name]))
        self._held.append((_hand("observation", call, observation), _hand("info", call, info)))

    def stepped(self, asked: Frozen, action: object) -> None:
        """A step() came back: look whether it wrote into its action."""
        if ACTION in self._reported:
            return
        difference = written_into(asked, action)
        if difference is not None:
            self._reported[ACTION] = None
            change = _first(ACTION + difference.key, difference)
            self._tell_action({"type": type(action).__name__, **change})

    def note(self, returned: Returned) -> None:
        """A later call changed what was returned, for the first time under its name."""


def _hand(name: str, call: str, value: object) -> Returned:
    return Returned(name, call, value, freeze(value))


def _change(
    returned: Returned, difference: ValueDifference, call: str, later: object
) -> Dict[str, object]:
    return {
        "what": returned.name,
        "id": id(returned.value),
        "type": type(returned.value).__name__[:60],
        "returned_by": returned.call,
        "changed_by": call,
        "same": later is returned.value,
        **_first(returned.name + difference.key, difference),
    }


def _first(key: str, difference: ValueDifference) -> Dict[str, object]:
    return {
        "key": key,
        "difference": difference.what,
        "place": difference.place,
        "values": difference.values,
    }


def written_into(asked: Frozen, action: object) -> Optional[ValueDifference]:
    """The first difference of an action of the caller's from when it was frozen; None where it has
    the same numbers, or is an object of the environment's own.
    """
    if type(action).__name__ not in CALLERS:
        return None
    difference = first_difference(asked, freeze(action))
    return difference if difference is not None and difference.what in VALUES else None
