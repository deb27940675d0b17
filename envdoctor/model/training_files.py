"""Files into which a training writes through several openings at once."""

from __future__ import annotations

from typing import Any, Mapping, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location


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


def written_file(data: Mapping[str, Any]) -> WrittenFile:
    """The inverse of `asdict`."""
    lines = tuple(Location(**each) for each in data.get("lines", ()))
    return WrittenFile(**{**data, "pids": tuple(data["pids"]), "lines": lines})
