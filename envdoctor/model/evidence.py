"""What the evidence of findings says to those who read it: the engine, the plans, what is decided
of findings, and the reporters.

Evidence is JSON, which any rule may write, of other packages, too: what does not fit is as if it
was not there. `read_evidence(Growing, finding.evidence)` is how it is read.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Mapping, Optional, Tuple, Type, TypeVar, Union

from envdoctor.model.errors import ErrorValue, read_error
from envdoctor.model.facts.decoding import key, read_loosely
from envdoctor.model.fast_dataclass import dataclass

T = TypeVar("T")


def read_evidence(kind: Type[T], evidence: Mapping[str, Any]) -> T:
    """What evidence says of one matter."""
    return read_loosely(kind, evidence)


@dataclass(frozen=True)
class Failing:
    """The error that was raised."""

    told: Any = field(default=None, metadata=key("error"))

    @property
    def error(self) -> Optional[ErrorValue]:
        """The error, or None."""
        return read_error(self.told) if self.told else None


@dataclass(frozen=True)
class Growing:
    """How much more there is after each cycle, by operation, and in which side of the play."""

    per_cycle: Optional[float] = None
    per_operation: Mapping[str, float] = field(default_factory=dict)
    side: str = ""


@dataclass(frozen=True)
class Lasting:
    """How long it took, once or several times."""

    seconds: Union[float, Tuple[float, ...]] = ()

    @property
    def longest(self) -> Optional[float]:
        """The longest of its times."""
        times = self.seconds if isinstance(self.seconds, tuple) else (self.seconds,)
        return max(times, default=None)


@dataclass(frozen=True)
class Standing:
    """The stacks of what did not come back."""

    stacks: str = ""


@dataclass(frozen=True)
class Played:
    """The scenario that showed it."""

    scenario: str = ""


@dataclass(frozen=True)
class ByOwnCode:
    """Whether the subject's own code did it, so that a search finds the line."""

    own_code: bool = False


@dataclass(frozen=True)
class Launched:
    """The life in which the manager was launched otherwise, where only that shows it."""

    built_by: str = ""


@dataclass(frozen=True)
class Curable:
    """What the parent has to do before workers know the environment, and how the manager was
    launched.
    """

    cure: str = ""
    cure_options: Tuple[Tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Comparing:
    """The first difference between two trajectories."""

    comparison: Any = None


@dataclass(frozen=True)
class Unpicklable:
    """The class of an error that does not arrive in another process."""

    class_name: str = field(default="", metadata=key("class"))


@dataclass(frozen=True)
class Wrapped:
    """The classes of the wrappers around the environment, one of which may be at fault."""

    wrappers: Tuple[str, ...] = ()


@dataclass(frozen=True)
class OfUsedAddress:
    """That an address was in use."""

    address_in_use: bool = False


@dataclass(frozen=True)
class Shadowed:
    """Manager and start method under which one more instance was built in the parent."""

    shadowed: Optional[Tuple[str, Optional[str]]] = None
