"""Calls of a training that do not come back, and what is known of the threads they wait for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Tuple

from envdoctor.model.finding import Location
from envdoctor.model.waits import Wait, wait

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
class LongCall:
    """A call that had not come back when the process was last seen alive: for `seconds` it was
    under way, and for `still` none of the process's threads had run. `stacks` are those of the
    process, and of `waiter`: who started it, where that stood still as well (0: it did not).
    Calls of this class and method came back after `usual` seconds, where they took long, too.
    `waits` are those of the process's threads. Where it waits for a lock whose expression is
    `lock`, and the process was forked while the thread `holder` of its parent was in a block of
    that lock, both are known.
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
    lock: str = ""
    holder: Optional[LostThread] = None

    @property
    def asleep(self) -> bool:
        """Whether nothing of it ran any more, for longer than others that came back took."""
        return self.still >= LONG and self.seconds > 2 * self.usual


def long_call(data: Mapping[str, Any]) -> LongCall:
    """A call of a JSON-able dict."""
    holder = data.get("holder")
    known = {
        "waits": tuple(map(wait, data.get("waits", ()))),
        "holder": None if holder is None else lost_thread(holder),
    }
    return LongCall(**{**data, **known})


def lost_thread(data: Mapping[str, Any]) -> LostThread:
    """A thread of a JSON-able dict."""
    frames = data.get("frames", ())
    return LostThread(str(data.get("name", "")), tuple(Location(**frame) for frame in frames))
