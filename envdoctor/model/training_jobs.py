"""Jobs of multiprocessing's pools that a training gave up."""

from __future__ import annotations

from typing import Optional

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location


@dataclass(frozen=True)
class GivenUpJob:
    """A job whose result was waited for at the `location`, with a limit, and was not there when
    sixteen of others had come, and never came. The process `worker` of the pool `computed` then,
    where that is known; it held so many bytes when that was seen, and at the last look (`least`,
    `most`).
    """

    pid: int
    number: int
    location: Location
    worker: int = 0
    computed: Optional[Location] = None
    least: int = 0
    most: int = 0
