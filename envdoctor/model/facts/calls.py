"""Facts on calls: what a checker says of them, what the environment refuses, what imports change,
what runs after them, and what a framework did by itself.
"""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Mapping, Optional, Tuple

from envdoctor.model.errors import AS_WRITTEN, ErrorValue, Wire
from envdoctor.model.facts.decoding import Fact, ListedFact, key
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location


@dataclass(frozen=True)
class CheckFailure(Fact):
    """A complaint of a framework's checker: the part that it checked, its `kind` ("raised" or a
    warning), and the part of an observation that is meant (`misfit`). Of one that reset() returned,
    the next one `fits_later`: step() returns it. The `place` is that of a wrapper that it is about.
    """

    KEY: ClassVar[str] = "check"

    checker: str = ""
    version: str = ""
    part: str = ""
    kind: str = ""
    message: str = ""
    misfit: str = ""
    fits_later: bool = False
    error: Optional[ErrorValue] = None
    place: Optional[Location] = None
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)

    @property
    def has_raised(self) -> bool:
        """True for more than a warning."""
        return self.kind == "raised"


@dataclass(frozen=True)
class RefusedCall(Fact):
    """A call that the environment refused with an error, what was done instead, and which of its
    methods it is about.
    """

    KEY: ClassVar[str] = "refusal"

    call: str
    error: str
    instead: str = ""
    method: str = ""
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class EndUnread(Fact):
    """An answer of step() from which the end of an episode cannot be read: its `values`."""

    KEY: ClassVar[str] = "end-unread"

    values: int = 0


@dataclass(frozen=True)
class ChangedByImport:
    """One thing of the process that importing the library `by` changed, and the line that imports
    it; `users`: it is the subject's own code.
    """

    sensor: str
    key: str
    by: str
    old: Optional[str] = None
    new: Optional[str] = None
    users: bool = False
    place: Optional[Location] = None


@dataclass(frozen=True)
class ChangedByImports(ListedFact):
    """The changes that imports made, in order."""

    KEY: ClassVar[str] = "imported"

    changes: Tuple[ChangedByImport, ...] = ()


@dataclass(frozen=True)
class ProcessState(Fact):
    """Parts of the process that are not as it was after its imports, once a scenario is over:
    `umask`, `environment variable DISPLAY`.
    """

    KEY: ClassVar[str] = "process-state"

    altered: Tuple[str, ...] = ()
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class Running(Fact):
    """Threads, processes and others that run after a verb and did not before the life: {sensor:
    {key: text}}.
    """

    KEY: ClassVar[str] = "running"

    verb: str
    running: Mapping[str, Mapping[str, str]]
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class RenderedImage(Fact):
    """An image that render() returned."""

    KEY: ClassVar[str] = "image"

    of_one_color: bool


@dataclass(frozen=True)
class Afterwards(Fact):
    """Leftovers of a closed instance that ended by itself within some seconds after close(),
    which began something that stops it: {sensor: {key: text}}.
    """

    KEY: ClassVar[str] = "afterwards"

    life: int
    seconds: float
    ended: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Connection:
    """A TCP connection to an `address`, and the command line of the `listener` there, where that is
    visible.
    """

    address: str
    listener: str = ""


@dataclass(frozen=True)
class Connections(ListedFact):
    """To which services an environment is connected while an instance lives."""

    KEY: ClassVar[str] = "connections"

    services: Tuple[Connection, ...] = ()


@dataclass(frozen=True)
class Denied(Fact):
    """One reset() in which the last thing was denied that reset() asks for: `asked` is how many it
    asks for, `what` was denied in this life, or nothing where it was not asked for this time,
    `acquired` the sensors that show what this reset() had by then, and `error` what it raised,
    where it did.
    """

    KEY: ClassVar[str] = "denied"

    life: int
    asked: int
    what: str = ""
    acquired: Tuple[str, ...] = field(default=(), metadata=key("taken"))
    error: Optional[ErrorValue] = None
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)

    @property
    def has_failed(self) -> bool:
        """True if reset() failed because of it."""
        return bool(self.what) and self.error is not None


@dataclass(frozen=True)
class Unawaited(Fact):
    """A coroutine that a line of the user's made and nothing awaited: what it is of, and that
    line. `by_its_api`: a method of the environment's, written there, which its API only calls.
    """

    KEY: ClassVar[str] = "unawaited"

    name: str
    place: Location
    by_its_api: bool = False
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class TaskLeft(Fact):
    """A task whose coroutine a line of the user's made (`place`), left pending by the close() of a
    life, or `destroyed` while it was pending.
    """

    KEY: ClassVar[str] = "task-left"

    name: str
    place: Location
    life: int = 0
    destroyed: bool = False
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class ClientLeft(Fact):
    """An event loop or a client (`kind`) that the close() of a life left open; `attribute` is the
    environment's that holds it, where one does.
    """

    KEY: ClassVar[str] = "client-left"

    kind: str
    attribute: str = ""
    life: int = 0


@dataclass(frozen=True)
class UnwaitedChild(Fact):
    """A child process whose Popen object was given up before anything had asked how it ended: its
    process id and name.
    """

    KEY: ClassVar[str] = "unwaited"

    child: int
    name: str = ""
    life: int = 0


@dataclass(frozen=True)
class ReachableBytes(Fact):
    """The bytes of the Python objects that a closed instance leads to, where the C allocator's
    memory rose in its life by much; None where these are too many objects.
    """

    KEY: ClassVar[str] = "reachable-bytes"

    life: int = 0
    bytes: Optional[int] = None


@dataclass(frozen=True)
class CloseLayer:
    """One layer of a wrapped environment: its class, whether its close() was `called`, whether that
    `inherits` another one, or is `idle` (it does nothing), and where it is written.
    """

    name: str
    called: bool = False
    inherits: bool = False
    idle: bool = False
    place: Optional[Location] = None


@dataclass(frozen=True)
class CloseLayers(Fact):
    """The wrappers of an environment that was closed, the outermost first, and what they wrap."""

    KEY: ClassVar[str] = "close-layers"

    inner: CloseLayer
    layers: Tuple[CloseLayer, ...] = ()


@dataclass(frozen=True)
class CaughtError:
    """An error that was raised by a line (`frame`) and caught around another one, in so many of the
    `calls`, `within` a method of the environment. After such calls, half of them at least, and no
    others, there was more of what the sensors read that it `left`.
    """

    type: str = ""
    message: str = ""
    calls: int = 0
    frame: Optional[Location] = None
    caught: Optional[Location] = None
    within: str = ""
    left: Tuple[str, ...] = ()


@dataclass(frozen=True)
class CaughtErrors(Fact):
    """Errors that were raised and caught in so many `resets`."""

    KEY: ClassVar[str] = "caught-errors"

    resets: int = 0
    errors: Tuple[CaughtError, ...] = ()


@dataclass(frozen=True)
class PlayedLayer:
    """One layer of a wrapped environment, played without what is around it: whether reset() with
    the same seed gives another first observation (`differs`); what it returned that is `changed`
    later ("observation", "info"), and whether the layer itself holds it; "action", where its step()
    writes into that. `seeded`: its reset(), or
    its seed(), is given the seed that the outermost one is given. `failed`: it could not be played
    so. One that does not inherit from a wrapper `holds` the next one in an attribute.
    """

    class_name: str = field(default="", metadata=key("class"))
    methods: Mapping[str, Location] = field(default_factory=dict)
    seeded: bool = False
    differs: bool = False
    changed: Mapping[str, bool] = field(default_factory=dict)
    failed: str = ""
    holds: str = ""

    def place(self, method: str) -> Optional[Location]:
        """The place where one of its methods is written."""
        return self.methods.get(method)


@dataclass(frozen=True)
class PlayedLayers(Fact):
    """The layers of a wrapped environment, the outermost first."""

    KEY: ClassVar[str] = "played-layers"

    layers: Tuple[PlayedLayer, ...] = ()


@dataclass(frozen=True)
class RemadeSpace(Fact):
    """An action space that each access makes anew, so that its seed is lost: how it is asked for,
    and the class that makes it.
    """

    KEY: ClassVar[str] = "remade-space"

    space: str
    class_name: str = field(default="", metadata=key("class"))
    place: Optional[Location] = None
    wire: Wire = field(default_factory=dict, compare=False, repr=False, metadata=AS_WRITTEN)


@dataclass(frozen=True)
class UsedAddress(Fact):
    """The address that a constructor could not bind, and the states of the sockets that have its
    port: "listening", "connected", "TIME_WAIT", "closing".
    """

    KEY: ClassVar[str] = "used-address"

    host: str
    port: int
    states: Tuple[str, ...] = ()


@dataclass(frozen=True)
class LastStep(Fact):
    """The episode and step that hung, or in which the process died."""

    KEY: ClassVar[str] = "last-step"

    episode: int
    step: int


@dataclass(frozen=True)
class Restarts(Fact):
    """Restarts in one call of a framework that builds its instances anew each time that one fails:
    it `built` so many for the `instances` that were asked for. `endless` are those that had to be
    ended from outside.
    """

    KEY: ClassVar[str] = "restarts"

    built: int
    instances: int
    endless: bool = False
