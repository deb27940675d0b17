"""Trainings that poll, or play one episode, until they are asked to end, and requests to end their
processes.
"""

from __future__ import annotations

from typing import Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location


@dataclass(frozen=True)
class Termination:
    """A `signal` that terminate() or kill() of multiprocessing sent to a process that lived: `by`
    which process, and at which line of the user's; `pool` where a pool of multiprocessing did.
    """

    signal: int
    by: int
    location: Optional[Location] = None
    pool: bool = False


@dataclass(frozen=True)
class Polling:
    """For `seconds` the trainer's main thread slept at most looks, woke so often (`wakes`),
    called no environment and wrote nothing; others began so many `resets` meanwhile. It was `asked`
    to end in that, and left these `frames` then, the innermost last. At the last look
    it had these `threads`, by the kernel's ids.
    """

    seconds: float
    wakes: int
    resets: int = 0
    asked: bool = False
    threads: Tuple[int, ...] = ()
    frames: Tuple[Location, ...] = ()


@dataclass(frozen=True)
class RunOn:
    """So many `ends` of an instance's episodes were looked at. After `passed` of them step() was
    called without a reset(), and returned an end again, or raised: `steps` times in all, first at
    `location`. The end was said `by` values of what step() returns. The instance `is_over` where no
    reset() came after the last of these ends.
    """

    ends: int
    passed: int
    steps: int
    by: Tuple[str, ...]
    location: Optional[Location] = None
    is_over: bool = False


@dataclass(frozen=True)
class PlayedOn:
    """A function called another one, which reset an instance at the line `begun` and played it to
    an end, and then called step() at `location`, without a reset(), and got an end again: at least
    so many `times`, and hardly ever anything else.
    """

    times: int
    location: Location
    begun: Location


@dataclass(frozen=True)
class GivenUpEpisode:
    """The first episode of an instance: it was reset at the `location`, stepped so often, and reset
    `again` at another line before an end.
    """

    steps: int
    location: Location
    again: Location


@dataclass(frozen=True)
class NarrowActions:
    """Of so many `values` that step() was given at `location`, each is within -1 and 1, and so many
    are at these ends; its action space reaches over the `bounds`.
    """

    values: int
    ends: int
    bounds: str
    location: Location


@dataclass(frozen=True)
class ResetAgain:
    """So many `times` the script reset an instance right after another reset(), without a step
    between, at `location`.
    """

    times: int
    location: Location


@dataclass(frozen=True)
class HostedTwice:
    """A vectorizer of a class, made at `location`, has an instance in so many of its `places`. The
    user's own are known when a `method` resets their instances, at that location.
    """

    vectorizer: str
    places: int
    location: Location
    method: str = ""


@dataclass(frozen=True)
class EpisodeLoop:
    """A loop of the script that Ctrl-C ended: it calls step() at `location`, resets nothing, and
    ends only where an episode does.
    """

    location: Location


@dataclass(frozen=True)
class GivenUp:
    """A program that an `owner` of the user's started at `location`, and that ran on when nothing
    referred to it any more: close() of the owner was never called. `outer` is the object, or the
    owner itself, that the script uses, `used_at` a line; it was made at the line `made_at` there.
    """

    pid: int
    owner: str
    outer: str
    location: Location
    used_at: Location
    made_at: Optional[Location] = None


@dataclass(frozen=True)
class KeptInstances:
    """Instances of one class that were there, closed, when a later one was made: so many, and kept
    still when the process had ended. The `chain` leads to one of them, by the `owner`, which is the
    class of an object. It was closed at `location`, where that is a line of the user's, and
    `registered_at` is the only call of register() in the file that makes them.
    """

    number: int
    chain: str = ""
    owner: str = ""
    location: Optional[Location] = None
    registered_at: Optional[Location] = None
