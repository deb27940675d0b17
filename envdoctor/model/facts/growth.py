"""Facts of the leak check: how exact its meters are, what grew, who holds it, which line allocates
it; and what outlives an instance.
"""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Dict, Mapping, Optional, Tuple

from envdoctor.model.facts.decoding import Fact, ListedFact, as_json
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location

#: Bytes up to which Python's own allocator serves a request from its own pages.
SERVED = 512


@dataclass(frozen=True)
class Sensitivity(Fact):
    """The results of the meters' controls. `tier` is "exact" or "degraded", with `reasons`; `sees`
    the least amount a cycle that each meter shows, `missing` why a meter cannot be read.
    """

    KEY: ClassVar[str] = "sensitivity"

    tier: str
    reasons: Tuple[str, ...]
    sees: Mapping[str, float] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class GrownType:
    """A type of which there are more objects, by how many."""

    type: str
    grew: int


@dataclass(frozen=True)
class GrowingLine:
    """A line of the source that adds to a container, and its text."""

    file: str
    line: int
    function: str
    text: Optional[str] = None

    @property
    def location(self) -> Location:
        """The place of the line."""
        return Location(self.file, self.line, self.function)


@dataclass(frozen=True)
class GrownHolder:
    """The holder of growing objects: the way from a module or `self` to one object of a type, or to
    the container that got longer by `grew`. For an `unbounded` container, `element` is the type of
    the last entry, `handle` the meter of what it stands for ("threads"), if any, and `instance` is
    True if it keeps an instance of the environment; `beside` is another container with the same
    entries; `overhead` the bytes that an element takes besides its own; `lines` are the lines of
    the source that add to it.
    """

    type: str
    chain: str
    grew: Optional[int] = None
    unbounded: Optional[bool] = None
    overhead: Optional[float] = None
    element: Optional[str] = None
    handle: Optional[str] = None
    instance: Optional[bool] = None
    beside: Optional[str] = None
    lines: Tuple[GrowingLine, ...] = ()


@dataclass(frozen=True)
class GrownCache:
    """A cache or a deque that grew to `size` of `maxsize` entries (None: it has no bound).
    `cleared`: it is emptied before every reading from there on.
    """

    what: str
    size: int
    maxsize: Optional[int]
    grew: int
    cleared: bool


@dataclass(frozen=True)
class LongerText:
    """A text or an array that got longer, by how many bytes."""

    chain: str
    grew: int


@dataclass(frozen=True)
class Suspects(Fact):
    """Types, holders and caches that grew over `cycles`. `threads`, `processes` (records of
    children) and `instances` (of the environment's own class) count the new objects reached from
    each. `unsearched` are objects whose holders were not looked for, because time ran out.
    """

    KEY: ClassVar[str] = "suspects"

    cycles: int = 0
    types: Tuple[GrownType, ...] = ()
    holders: Tuple[GrownHolder, ...] = ()
    caches: Tuple[GrownCache, ...] = ()
    longer: Tuple[LongerText, ...] = ()
    threads: int = 0
    processes: int = 0
    instances: int = 0
    unsearched: int = 0


@dataclass(frozen=True)
class AllocationRecord:
    """Memory that memray saw kept at one place. `frames` are innermost first; `user` is the index
    of the first of them that is the user's own, if one is.
    """

    count: int
    bytes: int
    per_cycle: float
    allocator: str
    frames: Tuple[Location, ...]
    user: Optional[int]

    def __post_init__(self) -> None:
        """Raise ValueError where no frame has the index."""
        if self.user is not None and not 0 <= self.user < len(self.frames):
            raise ValueError("user: expected the index of a frame, got %d" % self.user)

    @property
    def is_large(self) -> bool:
        """True if Python's own allocator passes such requests on to malloc."""
        return self.bytes > SERVED * self.count

    @property
    def own_line(self) -> Optional[Location]:
        """The innermost line of the user's."""
        return None if self.user is None else self.frames[self.user]


@dataclass(frozen=True)
class SurvivingType:
    """A type of which objects outlived the recording, and how many."""

    type: str
    count: int


@dataclass(frozen=True)
class Allocations(Fact):
    """The result of a memray recording. `cycles` are the operations that were recorded; `mode` is
    "aggregated" or "all", `file` is the capture that was kept, `unsaved` why none was, where that
    was asked for. `surviving` is None where Python cannot count survivors. `missing` says why
    nothing was recorded. `open` is not in the journal: True if one instance stayed open.
    """

    KEY: ClassVar[str] = "allocations"

    cycles: int = 0
    operation: str = ""
    native: bool = False
    mode: str = ""
    records: Tuple[AllocationRecord, ...] = ()
    file: Optional[str] = None
    unsaved: str = ""
    surviving: Optional[Tuple[SurvivingType, ...]] = None
    missing: str = ""
    open: Optional[bool] = None

    def as_json(self) -> Dict[str, object]:
        """As the journal has it, and whether the instance stayed open."""
        values: Dict[str, object] = as_json(self)
        if self.missing:
            return values
        names = ("cycles", "operation", "native", "mode", "records", "file")
        return {**{name: as_json(getattr(self, name)) for name in names}, **values}


@dataclass(frozen=True)
class WaitingType:
    """A type of which objects wait for the collector, and how many."""

    type: str
    count: int


@dataclass(frozen=True)
class WaitingLine:
    """A line of the user's, or of a wrapper's, that made objects which wait for the collector: how
    many, and bytes.
    """

    file: str
    line: int
    count: int
    bytes: int


@dataclass(frozen=True)
class Garbage(Fact):
    """Objects that wait for the collector after so many cycles, how one of these objects leads back
    to itself (`sick.Frame.after.before`), or nothing, and which lines made them, the most bytes
    first. Whether the collector is `enabled`, and after how many objects it runs (`threshold`).
    """

    KEY: ClassVar[str] = "garbage"

    cycles: int = 0
    types: Tuple[WaitingType, ...] = ()
    chain: str = ""
    lines: Tuple[WaitingLine, ...] = ()
    enabled: Optional[bool] = None
    threshold: Optional[int] = None


@dataclass(frozen=True)
class GarbageOrigin(Fact):
    """The line of the layer of a wrapped environment that makes the cycles that keep most of what
    waits for the collector (`origin`). `ambiguous`: it was looked for, and not proved.
    """

    KEY: ClassVar[str] = "garbage-origin"

    origin: Optional[Location] = None
    ambiguous: bool = False


@dataclass(frozen=True)
class CompilingLine:
    """A line at which something is compiled, and how often in one cycle."""

    file: str
    line: int
    function: str
    count: int

    @property
    def location(self) -> Location:
        """Its place."""
        return Location(self.file, self.line, self.function)


@dataclass(frozen=True)
class Compilations(Fact):
    """Functions that a `library` still compiles in a cycle of so many resets and steps, once
    several cycles were played.
    """

    KEY: ClassVar[str] = "compilations"

    library: str
    lines: Tuple[CompilingLine, ...] = ()
    resets: int = 0
    steps: int = 0

    @property
    def most(self) -> Optional[CompilingLine]:
        """The line that compiles most often."""
        return self.lines[0] if self.lines else None

    @property
    def call(self) -> str:
        """The call that compiles each time at that line, or nothing."""
        count = self.lines[0].count if self.lines else 0
        if count >= self.steps > 0:
            return "step"
        return "reset" if count >= self.resets > 0 else ""


@dataclass(frozen=True)
class OwnCycle:
    """The class of an object that leads back to itself (`chain`), and where it is written."""

    name: str
    chain: str = ""
    source: Optional[Location] = None


@dataclass(frozen=True)
class KeptWrapper:
    """The class of a wrapper, and what holds it."""

    name: str
    chain: str


@dataclass(frozen=True)
class Survivors(Fact):
    """Instances of a life that outlived their last reference: `serials` of the `dropped` ones, how
    many outlived the collector (`collected`), by which `chains` those are held, and how many
    `bytes` the collector freed. `cycle` is what kept them until then, where that was found;
    `wrapper` is the outermost one that outlived the collector.
    """

    KEY: ClassVar[str] = "survivors"

    life: int
    closed: bool = True
    dropped: int = 0
    serials: Tuple[int, ...] = ()
    collected: int = 0
    bytes: int = 0
    chains: Tuple[str, ...] = ()
    cycle: Optional[OwnCycle] = None
    wrapper: Optional[KeptWrapper] = None


@dataclass(frozen=True)
class CountedOnGpu:
    """GPU memory in use by one library's own count: `bytes` on all GPUs, or why that was
    `not_seen`.
    """

    library: str
    bytes: int = 0
    not_seen: str = ""


@dataclass(frozen=True)
class GpuCounters(ListedFact):
    """The GPU counters of loaded libraries after a block of cycles."""

    KEY: ClassVar[str] = "gpu-counters"

    libraries: Tuple[CountedOnGpu, ...] = ()


@dataclass(frozen=True)
class ServiceCount(Fact):
    """The reason why the user's command `failed` to count what a service keeps, after a block of
    cycles.
    """

    KEY: ClassVar[str] = "service-count"

    failed: str = ""


@dataclass(frozen=True)
class Unreaped(Fact):
    """The processes below an instance that do not wait for children that ended: {command line:
    how many}, before it is closed.
    """

    KEY: ClassVar[str] = "unreaped"

    parents: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ChildSpan:
    """Bytes of one process below, before and after a block. Where a `collector` of its own frees
    them later ("Java"), they are in no meter.
    """

    command: str
    pid: int = 0
    before: int = 0
    after: int = 0
    collector: str = ""


@dataclass(frozen=True)
class ChildMemory(ListedFact):
    """The processes below that lived through a block of cycles."""

    KEY: ClassVar[str] = "child-memory"

    processes: Tuple[ChildSpan, ...] = ()
