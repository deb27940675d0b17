"""Aims of remedies that several rules share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from envdoctor.model.environment_aims import Release, Remove
from envdoctor.model.errors import Acquisition, Frame
from envdoctor.model.finding import Location
from envdoctor.model.training_aims import (
    BindLate,
    CloseMade,
    EndKind,
    EndOnce,
    GiveSeed,
    JoinFirst,
    LeaveWait,
    MakeNothing,
    MakeOnce,
    OwnFiles,
    OwnSeeds,
    SeedOnce,
    SpreadSeeds,
)


def aim_at(what: str, places: Sequence[Acquisition]) -> Release | None:
    """Give back what was taken in these lines; nothing where none is known."""
    return Release(what, tuple(place.frame for place in places)) if places else None


def close_made(*locations: Location | None) -> CloseMade | None:
    """Close what a line of a training makes, or another one; nothing where no line is known."""
    frames = [Frame(each.file, each.line) for each in locations if each is not None]
    return CloseMade(*frames[:2]) if frames else None


def end_once(location: Location | None, kind: EndKind, name: str = "") -> EndOnce | None:
    """Let something near a line end, and once; nothing where the line is not known."""
    return EndOnce(Frame(location.file, location.line), kind, name) if location else None


def bind_late(location: Location | None) -> BindLate | None:
    """Give factories in the file of a line the value of their own round."""
    return BindLate(Frame(location.file, location.line)) if location else None


def join_first(location: Location | None) -> JoinFirst | None:
    """Wait for what a line ends; nothing where the line is not known."""
    return JoinFirst(Frame(location.file, location.line)) if location else None


def leave_wait(location: Location | None, thread: Location | None) -> LeaveWait | None:
    """Let a loop look at what ends the thread of another line; nothing where one is not known."""
    if location is None or thread is None:
        return None
    return LeaveWait(Frame(location.file, location.line), Frame(thread.file, thread.line))


def make_nothing(location: Location | None) -> MakeNothing | None:
    """Leave out the statement of this line; nothing where it is not known."""
    return MakeNothing(Frame(location.file, location.line)) if location else None


def make_once(location: Location | None) -> MakeOnce | None:
    """Make what a line makes once; nothing where the line is not known."""
    return MakeOnce(Frame(location.file, location.line)) if location else None


def seed_once(location: Location | None, again: Location | None = None) -> SeedOnce | None:
    """Give what a line makes its seed once, not `again`; nothing where the line is not known."""
    repeated = Frame(again.file, again.line) if again else None
    return SeedOnce(Frame(location.file, location.line), repeated) if location else None


def give_seed(location: Location | None) -> GiveSeed | None:
    """Give what a line makes the script's seed; nothing where the line is not known."""
    return GiveSeed(Frame(location.file, location.line)) if location else None


def own_files(location: Location | None, name: str) -> OwnFiles | None:
    """Give each worker that a line makes a file; nothing where the line is not known."""
    return OwnFiles(Frame(location.file, location.line), name) if location else None


def own_seeds(location: Location | None) -> OwnSeeds | None:
    """Give what a line makes a seed each; nothing where the line is not known."""
    return OwnSeeds(Frame(location.file, location.line)) if location else None


def spread_seeds(location: Location | None) -> SpreadSeeds | None:
    """Give what a line makes seeds that lie far apart; nothing where the line is not known."""
    return SpreadSeeds(Frame(location.file, location.line)) if location else None


def remove(places: Iterable[Location | None]) -> Remove | None:
    """Remove the calls in these lines; nothing where one is not known."""
    known = tuple(places)
    frames = tuple(Frame(place.file, place.line) for place in known if place and place.line)
    return Remove(frames) if frames and len(frames) == len(known) else None
