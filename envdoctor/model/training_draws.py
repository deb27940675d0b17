"""Lines of an environment that draw random numbers."""

from __future__ import annotations

from typing import Optional

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location


@dataclass(frozen=True)
class Draw:
    """A line of a class that draws from a generator of its process, by `page.SOURCES`; or a line
    that draws actions, from the space of a class of vectorizers where it is one for all instances.
    """

    source: str
    location: Location
    vectorizer: str = ""


@dataclass(frozen=True)
class ConstructorDraw:
    """A constructor in a forked worker drew from a generator of its process, by `page.SOURCES`,
    whose `state` was this number before, at a line of its class where one is known.
    """

    source: str
    state: int
    location: Optional[Location] = None


@dataclass(frozen=True)
class DefaultSeed:
    """A generator of an instance is made of a number, the default of a parameter that has this
    `name`, of a function or class, the `owner`, `defined` at a line; the user's line at `location`
    calls that without it. `made_at` is the line of the class that makes the generator, where it is
    known.
    """

    name: str
    value: int
    owner: str
    defined: Location
    location: Location
    made_at: Optional[Location] = None


@dataclass(frozen=True)
class LateVariable:
    """A variable of a loop that factories look up when they are called, after the loop; the first
    line of such a factory, and whether the source shows that the values of the loop differ.
    """

    name: str
    line: int
    differ: bool
