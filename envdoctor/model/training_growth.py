"""Growth in the processes of a training: readings, containers that got longer, and what its
environments keep without it.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location
from envdoctor.model.page import OFTEN


@dataclass(frozen=True)
class Kept:
    """Steady growth of a meter of `leak`: `rate` bytes or objects for each call of an operation."""

    meter: str
    operation: str
    rate: float


@dataclass(frozen=True)
class Control:
    """An environment of a training, played by `leak` without the trainer and its vectorizer: what
    it `kept`, for how many `cycles` it was followed; why that is not known, or nothing.
    """

    spec: str
    cycles: int = 0
    kept: Tuple[Kept, ...] = ()
    unknown: str = ""


#: What is followed, in the order in which it is shown: the first two are read inside, at a call.
BLOCKS, MALLOC = "blocks", "malloc"
RESOURCES = ("descriptors", "threads", "children", "segments")
METERS = (BLOCKS, MALLOC, *RESOURCES)
#: What a process that an environment may have started has written.
WRITTEN = "written"
#: Processes of one command line that ended early, from which on they are started anew all the time.
ANEW = 3

#: Whose a container is that gets longer; nothing where that is not known.
SIDES = ENVIRONMENT_SIDE, WRAPPER_SIDE, VECTORIZER_SIDE, TRAINER_SIDE = (
    "environment",
    "wrapper",
    "vectorizer",
    "trainer",
)

#: Looks at the containers of a process that are compared: it takes two to see what gets longer.
LOOKS = 2


@dataclass(frozen=True)
class Reading:
    """A reading of a process at `t` seconds, after so many calls: `held` are instances that were
    made and not freed, `tracked` containers that were made and not freed as the collector counts
    them, `full` its full runs, `written` the bytes of a child. None is a value that was not read.
    `rss` is context, never a verdict. Of the descriptors some are `pipes` and `sockets`; so many
    `vectorizers` were made.
    """

    t: float
    made: int = 0
    resets: int = 0
    steps: int = 0
    held: int = 0
    blocks: Optional[int] = None
    malloc: Optional[int] = None
    tracked: int = 0
    full: int = 0
    descriptors: Optional[int] = None
    threads: Optional[int] = None
    children: Optional[int] = None
    segments: Optional[int] = None
    rss: int = 0
    written: Optional[int] = None
    pipes: Optional[int] = None
    sockets: Optional[int] = None
    vectorizers: int = 0


@dataclass(frozen=True)
class TrainingHolder:
    """A container that got longer by `grew`, to `length`, over so many calls in its process.
    `bound` is how long it may become, where it or what has it says so; `side` whose it is, and
    `owner` the class, module or function that shows it. Its last element `keeps` descriptors,
    threads, processes, segments, or the graph of computations that it came from. `added` is the
    only line of the script's own code that adds to what has its name, and is `called` by one line
    of another file.
    """

    chain: str
    type: str
    grew: int
    length: int
    resets: int = 0
    steps: int = 0
    element: str = ""
    bound: Optional[int] = None
    side: str = ""
    owner: str = ""
    keeps: str = ""
    added: Optional[Location] = None
    called: Optional[Location] = None

    @property
    def is_rare(self) -> bool:
        """True if it gets longer too rarely to matter by its elements alone: it is known for what
        they keep.
        """
        return bool(self.keeps) and self.grew < min(self.resets, self.steps) / OFTEN


@dataclass(frozen=True)
class Filling:
    """Memory of a process that was mapped at once and is touched bit by bit: a buffer that fills.
    `touched` of `size` bytes, `rate` of them a second.
    """

    size: int
    touched: int
    rate: float

    @property
    def seconds(self) -> float:
        """Until it is full, at this rate."""
        return (self.size - self.touched) / self.rate if self.rate > 0 else float("inf")


@dataclass(frozen=True)
class Series:
    """Readings of one process. Of many, some are kept; `looks` is how often its containers were
    looked at, for which it stood still for `paused` seconds; of the `unfound` containers that grew,
    the time did not suffice to say who holds them.
    """

    pid: int
    readings: Tuple[Reading, ...] = ()
    holders: Tuple[TrainingHolder, ...] = ()
    filling: Optional[Filling] = None
    looks: int = 0
    paused: float = 0.0
    unfound: int = 0


@dataclass(frozen=True)
class ChildSeries:
    """Readings of a process that a `caller` of environments started, with the calls of that. In one
    `of_worker` they may be the environment's only. `collector` is what frees its memory later, as
    far as that is known. `ended` says that it was gone before the training was over.
    """

    pid: int
    caller: int
    command: str
    readings: Tuple[Reading, ...] = ()
    of_worker: bool = False
    collector: str = ""
    ended: bool = False


def holder(event: Mapping[str, Any]) -> TrainingHolder:
    """Decode a process's message about a container.

    Raises ValueError or TypeError if the message is malformed.
    """
    bound = event.get("most")
    side = str(event.get("side", ""))
    return TrainingHolder(
        str(event.get("chain", "")),
        str(event.get("type", "")),
        int(event.get("grew", 0)),
        int(event.get("length", 0)),
        int(event.get("resets", 0)),
        int(event.get("steps", 0)),
        str(event.get("element", "")),
        None if bound is None else int(bound),
        side if side in SIDES else "",
        str(event.get("owner", "")),
        str(event.get("keeps", "")),
    )
