"""Facts of replay storages, of which each scenario fills one (option `storage`; "none" keeps
nothing). Meters: memory (bytes, anonymous and shared), heap, objects, tracked, files.
"""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Mapping, Optional, Tuple

from envdoctor.model.facts.decoding import Fact, key
from envdoctor.model.fast_dataclass import dataclass

Rises = Mapping[str, int]  # {meter: rise}


@dataclass(frozen=True)
class LargestArray:
    """The largest array of an observation: its dtype and shape."""

    dtype: str = ""
    shape: Tuple[int, ...] = ()


@dataclass(frozen=True)
class StorageForecast(Fact):
    """The cost of one transition, before anything is allocated. `missing` says why the storage is
    not available; `refused` why the framework takes none of the subject's transitions. `place` is
    "memory" or "shared", `copies` is True if it copies its input, `parts` the bytes of each part of
    a transition, `rooms` the free bytes in each place, `seconds` the time to store one.
    """

    KEY: ClassVar[str] = "forecast"

    storage: str = ""
    missing: str = ""
    class_name: str = field(default="", metadata=key("class"))
    place: str = "memory"
    copies: bool = False
    sizes: LargestArray = LargestArray()
    parts: Mapping[str, int] = field(default_factory=dict)
    rooms: Mapping[str, int] = field(default_factory=dict)
    refused: str = ""
    seconds: float = 0.0

    @property
    def bytes(self) -> int:
        """The size of one transition."""
        return sum(self.parts.values())

    @property
    def disk(self) -> int:
        """Bytes that are free on the disk."""
        return self.rooms.get("disk", 0)


@dataclass(frozen=True)
class StorageTurn:
    """One whole turn of a full ring: how many were stored, how much each meter rose meanwhile, and
    the bytes of an observation.
    """

    stored: int
    rose: Rises
    observation: int = 0


@dataclass(frozen=True)
class PastCapacity(Fact):
    """Whole turns of a ring that is full; none where it held only `short` of what it should. `full`
    is how much each meter rose until it was full, `tolerated` the rise that is nothing, `points`
    the bytes of memory at each reading. Of the observations that were `followed`, so many are
    `alive` though their places were taken; `holder` holds one of them.
    """

    KEY: ClassVar[str] = "past"

    short: Optional[int] = None
    full: Rises = field(default_factory=dict)
    turns: Tuple[StorageTurn, ...] = ()
    flat: bool = False
    tolerated: Rises = field(default_factory=dict)
    points: Tuple[int, ...] = ()
    followed: int = 0
    alive: int = 0
    holder: str = ""

    @property
    def grows(self) -> bool:
        """True if the storage was turned over, and the last turn still took memory."""
        return bool(self.turns) and not self.flat


@dataclass(frozen=True)
class ChangedEntry:
    """The first transition that is not what was stored: in which slot, which part of it, and the
    values before and after.
    """

    key: str
    place: Optional[Tuple[int, ...]]
    what: str
    values: Tuple[str, str]
    slot: int


@dataclass(frozen=True)
class SampledSlices:
    """Stretches of episodes that the framework's own sampler returned: how many differ from what
    was stored (`wrong`) or have gaps (`torn`), and why there were none (`failed`).
    """

    compared: int = 0
    transitions: int = 0
    wrong: int = 0
    torn: int = 0
    failed: str = ""


@dataclass(frozen=True)
class StoredGraph:
    """The computations that stored tensors remember: `nodes` behind the last entry of each key, and
    what came back when they were detached.
    """

    nodes: Mapping[str, int] = field(default_factory=dict)
    memory: int = 0
    heap: int = 0
    objects: int = 0


@dataclass(frozen=True)
class KeptTransitions(Fact):
    """Transitions that were read back: how many were `compared`, how many differ from the stored
    ones (`wrong`), in which `slots`; `shared` are slots in the same memory, `mapped` files in
    TMPDIR that are mapped.
    """

    KEY: ClassVar[str] = "kept"

    compared: int = 0
    wrong: int = 0
    slots: Tuple[int, ...] = ()
    first: Optional[ChangedEntry] = None
    shared: Tuple[int, ...] = ()
    mapped: Tuple[str, ...] = ()
    slices: Optional[SampledSlices] = None
    graph: StoredGraph = StoredGraph()


@dataclass(frozen=True)
class EmptiedStorage(Fact):
    """The leftovers of a dropped storage: how much each meter rose since the beginning, what only
    the collector gave back, and `files` {path: bytes} that were not there before; `scratch` {how:
    {file: bytes}} are those of storages with a scratch_dir, where there are such.
    """

    KEY: ClassVar[str] = "emptied"

    rose: Rises = field(default_factory=dict)
    collected: Rises = field(default_factory=dict)
    files: Mapping[str, int] = field(default_factory=dict)
    scratch: Optional[Mapping[str, Mapping[str, int]]] = None
