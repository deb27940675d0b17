"""Results of step() in a training: arrays that are written afterwards, and counts that go on."""

from __future__ import annotations

from typing import Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location


@dataclass(frozen=True)
class Overwritten:
    """So many arrays that step() of a class returned were held, with other values than they had: a
    later step() had written into their memory. The `location` called it.
    """

    pid: int
    type: str
    number: int
    location: Location

    @property
    def class_name(self) -> str:
        """The class as a person would write it."""
        return self.type.rsplit(".", 1)[-1]


@dataclass(frozen=True)
class AliasedArray:
    """Two values of what step() of a class returns were one array each time, which its code has
    under two `names`; it writes into one of them at the `location`. `places` are those of the
    values in what it returns, and it is `defined` at a line.
    """

    pid: int
    type: str
    places: Tuple[int, ...]
    defined: Location
    names: Tuple[str, ...] = ()
    bound: Optional[Location] = None
    location: Optional[Location] = None

    @property
    def class_name(self) -> str:
        """The class as a person would write it."""
        return self.type.rsplit(".", 1)[-1]


@dataclass(frozen=True)
class CountGoesOn:
    """A number under a `key` of the infos that step() of a class returns counted steps: it began
    `anew` after all of so many ends that were terminated, and went `on` after all that were
    truncated. step() is `defined` at a line, and sets the number back at another, `set_back`.
    """

    pid: int
    type: str
    key: str
    anew: int
    on: int
    defined: Location
    set_back: Optional[Location] = None

    @property
    def class_name(self) -> str:
        """The class as a person would write it."""
        return self.type.rsplit(".", 1)[-1]


@dataclass(frozen=True)
class UnreturnedKey:
    """A line reads a `key` of the infos that step() of a `vectorizer` returns, which none of them
    had until so many `ends` of episodes were seen.
    """

    pid: int
    key: str
    vectorizer: str
    ends: int
    location: Location
