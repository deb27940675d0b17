"""The time that this process could have used: seconds, less those in which it was ready to run and
the machine ran others. A call is as slow on a busy machine as on an idle one.
"""

from __future__ import annotations

from os import O_RDONLY, close, open, read  # noqa: A004
from time import monotonic

SCHEDULED = "/proc/thread-self/schedstat"
TRIES = 10


def now() -> float:
    """Seconds on that clock; of the thread that asks. The clock never runs backwards: where the
    thread had to wait between the two readings, both are taken again.
    """
    before, seconds = waited(), monotonic()
    for _ in range(TRIES):
        after = waited()
        if after == before:
            break
        before, seconds = after, monotonic()
    return seconds - before


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
