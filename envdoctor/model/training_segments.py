"""Segments of shared memory that the programs of a training share."""

from __future__ import annotations

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
