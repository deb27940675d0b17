"""Writes into what an instance returned, as an agent may do that changes arrays in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Tuple

from envdoctor.probe.comparison.aliasing import Taker

if TYPE_CHECKING:
    from numpy import ndarray

DEPTH = 6  # containers within containers
NUMBERS = "biufc"  # kinds of elements that have another value to be overwritten with

OBSERVATION, INFO = "observation", "info"


class Overwriting(Taker):
    """Overwrites the arrays of the last observation, or of the last info, before the next call."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._last: object = None

    def next(self, _call: str, observation: object, info: object) -> None:
        """A call returned these."""
        self._last = observation if self._what == OBSERVATION else info

    def before(self) -> None:
        """The next call is about to be made: its action is drawn."""
        last, self._last = self._last, None
        for array in _arrays(last):
            if array.dtype.kind == "b":
                array[...] = ~array
            else:
                array[...] = 0 if array.any() else 1


def _arrays(value: Any, depth: int = 0) -> Iterator[ndarray]:
    """The arrays of numbers in a value that can be written to."""
    kind = type(value)
    if kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        if value.flags.writeable and value.dtype.kind in NUMBERS:
            yield value
    elif depth < DEPTH:
        for part in _parts(value):
            yield from _arrays(part, depth + 1)


def _parts(value: Any) -> Tuple[object, ...]:
    if isinstance(value, dict):
        return tuple(value.values())
    return tuple(value) if type(value) in (list, tuple) else ()
