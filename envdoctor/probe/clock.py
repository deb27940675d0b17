"""The time that this process could have used: seconds, less those in which it was ready to run and
the machine ran others. A call is as slow on a busy machine as on an idle one.
"""

from __future__ import annotations

from os import O_RDONLY, close, open, read  # noqa: A004
from time import monotonic

SCHEDULED = "/proc/thread-self/schedstat"


def now() -> float:
    """Seconds on that clock; of the thread that asks."""
    return monotonic() - waited()


def waited() -> float:
    """Seconds for which this thread was ready to run while others did; 0 where nothing tells."""
    try:
        descriptor = open(SCHEDULED, O_RDONLY)
        try:
            return int(read(descriptor, 100).split()[1]) / 1e9
        finally:
            close(descriptor)
    except (OSError, ValueError, IndexError):
        return 0.0


class Deadline:
    """The end of some seconds on that clock; the kernel is asked only when the wall's are over."""

    def __init__(self, seconds: float) -> None:
        self._wall = monotonic() + seconds
        self._waited = waited()

    @property
    def passed(self) -> bool:
        """Whether it is over."""
        if monotonic() <= self._wall:
            return False
        more, self._waited = waited() - self._waited, waited()
        self._wall += more
        return monotonic() > self._wall
