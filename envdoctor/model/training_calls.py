"""Calls of a training that do not come back, what is known of the threads they wait for, and jobs
of multiprocessing's pools that it gave up.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location
from envdoctor.model.waits import Wait

#: Seconds after which a call that does not come back is worth a word, and one that runs, a note.
LONG, SLOW = 5.0, 30.0
#: Seconds for which nothing of a process ran, after which its call is named.
STILL = 3.0


@dataclass(frozen=True)
class LostThread:
    """A thread that a parent had when it forked a process, which does not have it: its name, and
    its innermost frames then, the most recent call first.
    """

    name: str
    frames: Tuple[Location, ...] = ()


@dataclass(frozen=True)
class HeldLock:
    """A lock that a process waits for, as its line names it. The thread `holder` of its parent was
    in a block of that lock when the process was forked.
    """

    pid: int
    lock: str
    holder: LostThread


@dataclass(frozen=True)
class Waker:
    """A call of `method` at a line that ends what a thread of a process, not its main one,
    `waits` for at another.
    """

    pid: int
    waits: Location
    method: str
    location: Location


@dataclass(frozen=True)
class LongCall:
    """A call that had not come back when the process was last seen alive: for `seconds` it was
    under way, and for `still` none of the process's threads had run, besides those that are
    `ticking`: they only sleep and wake. `stacks` are those of the process, and of `waiter`: who
    started it, where that stood still as well (0: it did not). Calls of this class and method came
    back after `usual` seconds, where they took long, too. `waits` are those of the process's
    threads, and `held` is the lock that it waits for, where its parent held that at the fork.
    """

    pid: int
    row: int
    method: str
    seconds: float
    still: float
    stacks: str = ""
    waiter: int = 0
    usual: float = 0.0
    waits: Tuple[Wait, ...] = ()
    held: Optional[HeldLock] = None
    ticking: int = 0

    @property
    def asleep(self) -> bool:
        """True if nothing of it ran any more, for longer than others that came back took."""
        return self.still >= LONG and self.seconds > 2 * self.usual


def lost_thread(data: Mapping[str, Any]) -> LostThread:
    """A thread of a JSON-able dict."""
    frames = data.get("frames", ())
    return LostThread(str(data.get("name", "")), tuple(Location(**frame) for frame in frames))


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
