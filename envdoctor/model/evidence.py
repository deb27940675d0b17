"""Evidence of findings, typed for its readers: the engine, plans, verdicts and reporters.

Evidence is JSON that any rule may write, those of other packages too. Entries that do not fit are
ignored. `read_evidence(Growing, finding.evidence)` reads it.
"""

from __future__ import annotations

from dataclasses import field
from typing import Mapping, Optional, Tuple, Type, TypeVar, Union

from envdoctor.model.errors import ErrorValue, read_error
from envdoctor.model.facts.decoding import key, read_loosely
from envdoctor.model.fast_dataclass import dataclass

T = TypeVar("T")


def read_evidence(kind: Type[T], evidence: Mapping[str, object]) -> T:
    """Read one kind of entry from evidence."""
    return read_loosely(kind, evidence)


@dataclass(frozen=True)
class Failing:
    """The error that was raised."""

    recorded: object = field(default=None, metadata=key("error"))

    @property
    def error(self) -> Optional[ErrorValue]:
        """The error, or None."""
        return read_error(self.recorded) if self.recorded else None


@dataclass(frozen=True)
class Growing:
    """The growth per cycle, by operation, and the side that was played."""

    per_cycle: Optional[float] = None
    per_operation: Mapping[str, float] = field(default_factory=dict)
    side: str = ""


@dataclass(frozen=True)
class Lasting:
    """One duration or several, in seconds."""

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
class PlayedScenario:
    """The scenario that showed it."""

    scenario: str = ""


@dataclass(frozen=True)
class BoundAddress:
    """True if an address could not be bound, since something else has it."""

    address_in_use: bool = False


@dataclass(frozen=True)
class ByOwnCode:
    """True if the subject's own code did it, so that a search finds the line."""

    own_code: bool = False


@dataclass(frozen=True)
class Launched:
    """The life in which the manager was launched otherwise, where only that shows it."""

    built_by: str = ""


@dataclass(frozen=True)
class Curable:
    """The setup that the parent needs before workers know the environment, and how the manager was
    launched.
    """

    cure: str = ""
    cure_options: Tuple[Tuple[str, object], ...] = ()


@dataclass(frozen=True)
class Comparing:
    """The first difference between two trajectories."""

    comparison: object = None


@dataclass(frozen=True)
class Unpicklable:
    """The class of an error that does not arrive in another process."""

    class_name: str = field(default="", metadata=key("class"))


@dataclass(frozen=True)
class DrawnUnseeded:
    """Random generators that an environment draws from and that its seed does not reach."""

    unseeded: Tuple[str, ...] = ()


@dataclass(frozen=True)
class OfEpisodes:
    """Instances `between` which the same seed gives different results, and the generators that it
    does not reach; where that takes a whole `episode`, its steps.
    """

    between: str = ""
    unseeded: Tuple[str, ...] = ()
    episode: int = 0


@dataclass(frozen=True)
class WrappedEvidence:
    """The classes of the wrappers around the environment, one of which may be at fault; and whether
    an environment that it may hold otherwise (`held`) has to be looked at.
    """

    wrappers: Tuple[str, ...] = ()
    held: bool = False


@dataclass(frozen=True)
class OfUsedAddress:
    """That an address was in use."""

    address_in_use: bool = False


@dataclass(frozen=True)
class Shadowed:
    """Manager and start method under which one more instance was built in the parent."""

    shadowed: Optional[Tuple[str, Optional[str]]] = None
