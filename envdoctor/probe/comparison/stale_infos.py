"""Numbers in the infos of reset() that are those of the last step of the episode before."""

from __future__ import annotations

from typing import Callable, Dict, List, Optional

from envdoctor.model.trajectory import Frozen
from envdoctor.probe.comparison.aliasing import ReturnedArrays
from envdoctor.probe.comparison.frozen import freeze
from envdoctor.probe.growth.chains import own_namespace
from envdoctor.probe.wrappers import innermost

RESET, SELF = "reset", "self"
EPISODES = 3  # after each of which it has to be so
STEPS = 4  # of these episodes together, in which a counter shows that it is one


class ReturnedValues(ReturnedArrays):
    """Looks at infos besides; `subject` returns the instance, and is None under a manager. A
    number that goes on is reported by `tell_info`, once.
    """

    def __init__(
        self,
        tell: Callable[[Dict[str, object]], None],
        tell_action: Callable[[Dict[str, object]], None],
        tell_info: Callable[[Dict[str, object]], None],
        subject: Optional[Callable[[], object]],
    ) -> None:
        super().__init__(tell, tell_action)
        self._tell_info, self._subject, self._infos = tell_info, subject, StaleInfos()

    def next(self, call: str, observation: object, info: object) -> None:
        """A call returned these."""
        super().next(call, observation, info)
        if self._subject is not None:
            self._infos.take(call, freeze(observation), info, self._subject())
            stale = self._infos.as_fact() if call == RESET else None
            if stale is not None:
                self._tell_info(stale)


class StaleInfos:
    """The numbers of one instance, by their keys. One counts here where it has another value after
    each step, and goes up and down: counters and clocks only rise.
    """

    def __init__(self) -> None:
        self._steps: Dict[str, List[float]] = {}
        self._attributes: Dict[str, str] = {}  # by key, which have it after each reset() so far
        self._last: Optional[Frozen] = None
        self._resets, self._since = 0, 0

    def take(self, call: str, observation: Frozen, info: object, subject: object) -> None:
        """A call returned these."""
        own = info.items() if type(info) is dict else ()
        numbers = {key: value for key, value in own if _is_number(key, value)}
        if call != RESET:
            self._since += 1
            for key, value in numbers.items():
                self._steps.setdefault(key, []).append(value)
        elif self._since:
            stale = {
                key: name
                for key, value in numbers.items()
                for name in [_attribute(subject, value)]
                if name and self._steps.get(key, [None])[-1] == value
            }
            before = self._attributes if self._resets else stale
            self._attributes = {key: name for key, name in stale.items() if before.get(key) == name}
            if observation == self._last:  # nothing begins anew
                self._attributes = {}
            self._resets, self._since = self._resets + 1, 0
        self._last = observation

    def as_fact(self) -> Optional[Dict[str, object]]:
        """The first of them as the journal has it; None where there is none."""
        for key, name in sorted(self._attributes.items()):
            if self._resets == EPISODES and _varies(self._steps[key]):
                return {"key": key, "attribute": name, "episodes": self._resets}
        return None


def _is_number(key: object, value: object) -> bool:
    return type(key) is str and isinstance(value, float)


def _varies(values: List[float]) -> bool:
    """Return whether each value differs from the one before, and some rise and some fall."""
    rises = [later > earlier for earlier, later in zip(values, values[1:])]
    is_new = all(later != earlier for earlier, later in zip(values, values[1:]))
    return len(values) >= STEPS and is_new and any(rises) and not all(rises)


def _attribute(subject: object, value: object) -> str:
    """The attribute of the environment that has this very value."""
    own = own_namespace(innermost(subject)) or {}
    return next(("%s.%s" % (SELF, name) for name, held in list(own.items()) if held is value), "")
