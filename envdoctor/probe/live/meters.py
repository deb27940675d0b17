"""Readings of what a process of a training holds, in the moment of a call: exact, and without
allocating more than a few numbers.
"""

from __future__ import annotations

import contextlib
import gc
import time
from typing import Callable, Iterator, List, Optional, Sequence, Tuple

from envdoctor.model import page
from envdoctor.probe.system import blocks, heap

NOT_READ = -1
RUNS = "collections"  # of the collector, in the statistics of a generation

_malloc: List[Optional[Callable[[], int]]] = []


def held() -> Tuple[int, int, int]:
    """Python's blocks, bytes of malloc, and how many containers were made and not freed, as far as
    the collector counts them. NOT_READ where a meter does not work here.
    """
    tracked = gc.get_stats()[0][RUNS] * gc.get_threshold()[0] + gc.get_count()[0]
    return blocks.in_use() or NOT_READ, _in_use(), tracked


def read(numbers: memoryview, own: Sequence[int]) -> None:
    """Write a reading into the page, without what is the hook's own, and how long it took: where
    malloc has many free pieces, it counts them one by one.
    """
    began = time.thread_time_ns()
    now = held()
    numbers[page.BLOCKS] = max(NOT_READ, now[0] - own[0])
    numbers[page.MALLOC] = max(NOT_READ, now[1] - own[1])
    numbers[page.TRACKED] = now[2] - own[2]
    numbers[page.FULL] = gc.get_stats()[-1][RUNS]
    calls(numbers)
    numbers[page.TOOK] = time.thread_time_ns() - began
    numbers[page.READ] += 1  # the last: it says that the others are complete


@contextlib.contextmanager
def collector_off() -> Iterator[None]:
    """Keep the collector off meanwhile."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def calls(numbers: memoryview) -> None:
    """Write into the page how often what was called, in all."""
    first, end = page.FIRST, page.FIRST + numbers[page.USED]

    def total(column: int) -> int:
        return sum(numbers[first * page.WIDTH + column : end * page.WIDTH : page.WIDTH])

    made = total(page.INSTANCES)
    numbers[page.AT_MADE] = made - total(page.UNMADE)
    numbers[page.AT_RESETS] = total(page.RESET + 1)
    numbers[page.AT_STEPS] = total(page.STEP + 1)
    numbers[page.AT_HELD] = made + total(page.INHERITED) - total(page.GONE)


def leave_malloc_out() -> None:
    """Do not read malloc: a process that has not imported ctypes would get a descriptor from it,
    which libffi keeps of its own file from 3.4 on.
    """
    _malloc[:] = [None]


def _in_use() -> int:
    """Bytes that malloc has handed out, where the C library tells."""
    if not _malloc:
        _malloc.append(_meter())
    meter = _malloc[0]
    return NOT_READ if meter is None else meter()


def _meter() -> Optional[Callable[[], int]]:
    """Glibc's meter; None where it has none, or where another allocator took its place."""
    information = heap.mallinfo()
    if information is None:
        return None

    def meter() -> int:
        counts = information()
        return int(counts.uordblks + counts.hblkhd)

    before = meter()
    block = bytes(1 << 16)
    return meter if meter() - before >= len(block) else None
