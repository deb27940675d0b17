"""Facts of what travels to another process: factories, what instances send, exceptions, and the
specification of an id.
"""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Mapping, Optional, Tuple

from envdoctor.model.errors import AS_WRITTEN, ErrorValue, Wire
from envdoctor.model.facts.decoding import Fact, ListedFact, key
from envdoctor.model.fast_dataclass import dataclass


@dataclass(frozen=True)
class Attempt:
    """One round trip through pickle: whether it went well (`ok`); else the expression (`path`) of
    the innermost part that does not survive it, the class of what holds that part (`owner`), its
    name there where it is an `attribute`, and which `call` returned the whole.
    """

    ok: bool
    error: Optional[ErrorValue] = None
    path: str = ""
    owner: str = ""
    attribute: str = ""
    call: str = ""
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class PickledFactory(Fact):
    """The factory, pickled plainly and by cloudpickle; None where that is not installed."""

    KEY: ClassVar[str] = "pickle"

    plain: Attempt
    cloudpickle: Optional[Attempt] = None
    what: str = ""
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class Payloads(ListedFact):
    """The values that an instance sends, by name ("observation", "info", "action_space", ...)."""

    KEY: ClassVar[str] = "payloads"

    attempts: Mapping[str, Attempt]


@dataclass(frozen=True)
class LostException:
    """An exception class whose instances do not arrive in another process. `relay` says what failed
    at which step, `rebuilt` why it cannot be built of its text; the constructor's parameters, those
    that are `required`, whether its attributes keep them all (`kept`), and the attributes that
    cannot travel (`broken`); the line that raises it. `was_raised` is True where it was raised.
    """

    type: str
    relay: Mapping[str, str]
    rebuilt: str = ""
    parameters: Tuple[str, ...] = ()
    required: Tuple[str, ...] = ()
    kept: bool = False
    broken: Tuple[str, ...] = ()
    file: str = ""
    line: int = 0
    text: Optional[str] = None
    was_raised: Optional[bool] = field(default=None, metadata=key("seen"))
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class LostExceptions(ListedFact):
    """The exceptions of the subject's package that do not arrive."""

    KEY: ClassVar[str] = "exceptions"

    exceptions: Tuple[LostException, ...] = ()


@dataclass(frozen=True)
class Fate(Fact):
    """The result of a call whose workers were made to raise: `hangs` after so many seconds, or the
    error that arrived.
    """

    KEY: ClassVar[str] = "fate"

    hangs: bool = False
    seconds: float = 0.0
    error: Optional[ErrorValue] = None


@dataclass(frozen=True)
class RebuiltOtherwise:
    """A part ("class", "wrappers", ...) that is another one where it is built again, as texts."""

    what: str
    made: str
    rebuilt: str


@dataclass(frozen=True)
class RoundTrip:
    """A specification, written as JSON and read back: the error of that, and the part that is to
    blame (`culprit`); arguments that come back as another type; the error of building from what
    comes back, or what differs then.
    """

    id: str
    written: Optional[ErrorValue] = None
    culprit: str = ""
    changed: Mapping[str, Tuple[str, str]] = field(default_factory=dict)
    rebuilt: Optional[ErrorValue] = None
    differs: Tuple[RebuiltOtherwise, ...] = ()
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class Respecified(ListedFact):
    """The round trip of the specification that an instance was made from, if it was."""

    KEY: ClassVar[str] = "respec"

    trip: Optional[RoundTrip] = None
