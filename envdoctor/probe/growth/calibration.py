"""Controls of the exact meters: known amounts that they must show, and nothing that they must show
as nothing.

Another allocator may be preloaded, PYTHONMALLOC may be set, a libc may know no settings: whether
the meters are exact here is not looked up but tried.
"""

from __future__ import annotations

import os
from array import array
from typing import Callable, Dict, Iterator, List, Tuple

from envdoctor.probe.growth.meters import HEAP, MeterReader
from envdoctor.probe.system import heap

EXACT, DEGRADED = "exact", "degraded"

TIMES = 7  # as many as the cycles of the first block
CHUNKS = (24, 1024, 1 << 16)  # bytes of one allocation; the smallest that shows is what can be seen
UNIT = 16  # bytes that glibc rounds to; a hole that is one unit too large is given out whole
SLACK = 32  # bytes that the heap may differ between two readings of an allocator at rest

TRIED = (
    "objects",
    "tracked",
    "heap",
    "descriptors",
)  # without one of them the leak check is half blind
COUNTED = ("objects", "tracked", "descriptors", "threads", "processes", "files", "segments")


class _Object:
    """64 bytes, known to the collector."""

    __slots__ = ("a", "b", "c", "d")


def calibrate(reader: MeterReader) -> Dict[str, object]:
    """The sensitivity: {"tier", "reasons", "sees": {meter: least amount a cycle}, "missing":
    {meter: reason}}.
    """
    noise = _noise(reader)
    sees = {name: 1 + noise[name] for name in COUNTED if name in reader.names}
    reasons = [
        "%s cannot be read: %s" % (name, reader.missing[name])
        for name in TRIED
        if name in reader.missing
    ]
    reasons += [
        "%s changed by %d from one reading to the next while nothing ran" % (name, noise[name])
        for name in sees
        if noise[name]
    ]
    grown = _grow(reader, CHUNKS[0])
    reasons += list(_check_counts(grown, sees))
    if HEAP in reader.names:
        reasons += list(_check_heap(reader, grown, sees, noise[HEAP]))
    return {
        "tier": DEGRADED if reasons else EXACT,
        "reasons": reasons,
        "sees": sees,
        "missing": reader.missing,
    }


def _noise(reader: MeterReader) -> Dict[str, int]:
    """The largest change of each meter from one reading to the next, over as many empty cycles
    as a block has.
    """
    first, second, worst = reader.blank(), reader.blank(), reader.blank()
    for turn in range(TIMES + 1):  # all readings are taken in here: the loop itself is an object
        (reader.read_again if turn else reader.read)(second)
        for index in range(len(worst)):
            worst[index] = max(worst[index], abs(second[index] - first[index]) if turn else 0)
        first, second = second, first
    return reader.values(worst)


def _check_counts(grown: Dict[str, int], sees: Dict[str, int]) -> Iterator[str]:
    """Yield a reason for each count that is not exactly what was made."""
    for name in ("objects", "tracked", "descriptors"):
        if name in sees and abs(grown[name] - TIMES) >= sees[name]:
            del sees[name]
            yield "%d new %s were counted as %d" % (
                TIMES,
                "objects" if name == "tracked" else name,
                grown[name],
            )


def _check_heap(
    reader: MeterReader, grown: Dict[str, int], sees: Dict[str, int], noise: int
) -> Iterator[str]:
    """Find the smallest chunk that the heap's meter shows; the first one was tried already."""
    if heap.libc() is None:
        yield "the native heap's meter cannot be tried: this interpreter has no ctypes"
        return
    for chunk in CHUNKS:
        rise = (grown if chunk == CHUNKS[0] else _grow(reader, chunk))[HEAP]
        rounded = (chunk + 8 + UNIT - 1) // UNIT * UNIT  # glibc's header and rounding
        if -SLACK <= rise - TIMES * rounded <= SLACK + TIMES * UNIT and noise <= max(SLACK, chunk):
            sees[HEAP] = rounded
            return
        yield "%d chunks of %d bytes changed the native heap by %d bytes" % (TIMES, chunk, rise)


def _grow(reader: MeterReader, chunk: int) -> Dict[str, int]:
    """By how much each meter rises over seven objects, seven descriptors and seven chunks of
    malloc.
    """
    before, after = reader.blank(), reader.blank()
    held = _Held(chunk)
    held.take()
    held.give_back()  # once before: the first time takes more
    reader.read(before)
    held.take()
    reader.read_again(after)
    held.give_back()
    return {name: after[index] - before[index] for index, name in enumerate(reader.names)}


class _Held:
    """Known amounts of everything. What it keeps them in is there before they are."""

    def __init__(self, chunk: int) -> None:
        self.chunk = chunk
        self.objects: List[object] = [None] * TIMES
        self.opened, self.chunks = array("q", [0] * TIMES), array("Q", [0] * TIMES)
        self.allocate, self.free = _allocator()

    def take(self) -> None:
        for index in range(TIMES):
            self.objects[index] = _Object()
            self.opened[index] = os.open(os.devnull, os.O_RDONLY)
            self.chunks[index] = self.allocate(self.chunk)

    def give_back(self) -> None:
        for index in range(TIMES):
            self.objects[index] = None
            os.close(self.opened[index])
            self.free(self.chunks[index])


def _allocator() -> Tuple[Callable[[int], int], Callable[[int], object]]:
    """The C library's malloc and free, as ctypes reaches them."""
    library = heap.libc()
    if library is None:
        return (lambda _: 0), (lambda _: None)
    import ctypes

    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
    library.free.restype, library.free.argtypes = None, (ctypes.c_void_p,)
    return library.malloc, library.free
