"""Trainings that poll, or play one episode, until they are asked to end, and requests to end their
processes.
"""

from __future__ import annotations

from typing import Optional

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location


@dataclass(frozen=True)
class Termination:
    """A `signal` that terminate() or kill() of multiprocessing sent to a process that lived: `by`
    which process, and at which line of the user's.
    """

    signal: int
    by: int
    location: Optional[Location] = None


@dataclass(frozen=True)
class Polling:
    """For `seconds` the trainer's main thread slept at most looks, woke so often (`wakes`),
    called no environment and wrote nothing; others began so many `resets` meanwhile. It was `asked`
    to end in that.
    """

    seconds: float
    wakes: int
    resets: int = 0
    asked: bool = False


@dataclass(frozen=True)
class EpisodeLoop:
    """A loop of the script that Ctrl-C ended: it calls step() at `location`, resets nothing, and
    ends only where an episode does.
    """

    location: Location
