"""Files of a training: those that it writes through several openings, temporary ones, and segments
of shared memory.
"""

from __future__ import annotations

from typing import Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location

MAKES, OPENS, REMOVES = "makes", "opens", "removes"


@dataclass(frozen=True)
class SegmentUse:
    """A process makes, opens or removes a segment by its `name`, at a line of the user's. `tracker`
    is the process that removes it when this one has ended, 0 where there is none of its own.
    """

    pid: int
    use: str
    name: str
    location: Location
    tracker: int = 0


@dataclass(frozen=True)
class WrittenFile:
    """A file that was open for writing several times at once: the number of its `openings` when
    there were most, and the processes that had them. `lines` of the user's opened it, as far as
    they are known.
    """

    path: str
    openings: int
    pids: Tuple[int, ...] = ()
    lines: Tuple[Location, ...] = ()


@dataclass(frozen=True)
class TemporaryFiles:
    """Temporary files and folders that one line of a process made: of the first `made`, so many are
    `left` when the training has ended.
    """

    pid: int
    location: Location
    made: int = 0
    left: int = 0
