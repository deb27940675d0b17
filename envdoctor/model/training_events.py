"""The events that a watched process journals of itself."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location
from envdoctor.model.training_calls import LostThread, lost_thread
from envdoctor.model.training_errors import ErrorDetail
from envdoctor.model.training_growth import TrainingHolder, holder
from envdoctor.model.training_visits import Visit, visit


@dataclass(frozen=True)
class Announced:
    """One event: of a process, an instance or a failure, as the journal has it."""

    what: str
    pid: int
    t: float
    parent: int = 0
    started: str = ""
    python: str = ""
    command: Tuple[str, ...] = ()
    row: int = 0
    type: str = ""
    location: Optional[Location] = None
    by: str = ""
    copied: bool = False
    where: str = ""
    why: str = ""
    page: str = ""
    seconds: float = 0.0
    holder: Optional[TrainingHolder] = None
    closes: bool = True
    group: str = ""
    workers: Tuple[int, ...] = ()
    unfound: int = 0
    visit: Optional[Visit] = None
    message: str = ""
    method: str = ""
    number: int = 0
    within: str = ""
    instance_class: str = ""
    lost_threads: Tuple[LostThread, ...] = ()
    closed_at: Optional[Location] = None
    frames: Tuple[Location, ...] = ()
    called_at: Optional[Location] = None
    origin: Optional[Location] = None
    calls: int = 0
    rank: int = 0
    takes_seed: bool = True
    detail: Optional[ErrorDetail] = None


def announced(event: Mapping[str, Any]) -> Announced:
    """An event of the kind `watched`, as a value. What is not as it should be is left out."""
    return Announced(
        str(event.get("what", "")),
        int(event["pid"]),
        float(event["t"]),
        int(event.get("parent_pid", 0)),
        str(event.get("started", "")),
        str(event.get("python", "")),
        tuple(str(word) for word in event.get("command", ())),
        int(event.get("row", 0)),
        str(event.get("type", "")),
        _location(event.get("frame")),
        str(event.get("by", "")),
        bool(event.get("copied")),
        str(event.get("where", "")),
        str(event.get("why", "")),
        str(event.get("page", "")),
        float(event.get("seconds", 0.0)),
        holder(event) if event.get("what") == "holder" else None,
        bool(event.get("closes", True)),
        str(event.get("group", "")),
        tuple(int(pid) for pid in event.get("workers", ())),
        int(event.get("unfound", 0)),
        visit(event) if event.get("what") == "visit" else None,
        str(event.get("message", "")),
        str(event.get("method", "")),
        int(event.get("number", 0)),
        str(event.get("within", "")),
        str(event.get("given", "")),
        tuple(map(lost_thread, event.get("lost_threads", ()))),
        _location(event.get("closed_at")),
        tuple(filter(None, map(_location, event.get("frames", ())))),
        _location(event.get("called_at")),
        _location(event.get("origin")),
        int(event.get("calls", 0)),
        int(event.get("rank", 0)),
        bool(event.get("takes_seed", True)),
        _detail(event.get("detail")),
    )


def _detail(detail: object) -> Optional[ErrorDetail]:
    if not isinstance(detail, Mapping) or not detail:
        return None
    names = tuple(str(name) for name in detail.get("names", ()))
    return ErrorDetail(str(detail.get("kind", "")), names, _location(detail.get("frame")))


def _location(frame: object) -> Optional[Location]:
    if not isinstance(frame, Mapping):
        return None
    place = (str(frame.get("file", "")), int(frame.get("line", 0)))
    return Location(*place, str(frame.get("function", "")))
