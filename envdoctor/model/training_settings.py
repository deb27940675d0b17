"""Settings of a trainer for the environments of its vectorizer."""

from __future__ import annotations

from typing import Optional

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location


@dataclass(frozen=True)
class Setting:
    """A line that set something through `method` of a vectorizer of the class `vectorizer`: an
    attribute of this `name`, or options, which have none.
    """

    method: str
    vectorizer: str = ""
    name: str = ""
    location: Optional[Location] = None


@dataclass(frozen=True)
class HiddenAttribute:
    """An attribute that a wrapper of this class got from outside, while the environment below it
    has one of the same name with another value.
    """

    name: str
    wrapper: str


@dataclass(frozen=True)
class Evaluation:
    """A line that plays an evaluation in a `vectorizer` of a class that normalizes: an attribute of
    the name `learns` is on, so that it changes its statistics meanwhile, and maybe one of the name
    `scales`, so that it returns normalized rewards. Or that is off, and its statistics are those
    that it was made with (`is_unlearned`). Or a line gives a `policy`, which learned from what such
    a vectorizer normalized, the observations of an environment of the class `learns` as they are.
    """

    vectorizer: str
    learns: str
    scales: str
    location: Location
    is_unlearned: bool = False
    policy: str = ""
