"""Readings of the memory that a storage takes: as it is, and after the collector ran. All room
for them is there before the first.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, Any, Dict, List

from envdoctor.probe.growth.meters import MeterReader
from envdoctor.probe.system import heap, kernel

if TYPE_CHECKING:
    from typing import Pattern

MOST = 48  # readings

_ANONYMOUS = re.compile(r"^Anonymous: +(\d+) kB", re.MULTILINE)
_SHARED = re.compile(r"^RssShmem:\s+(\d+) kB", re.MULTILINE)


def memory() -> int:
    """Bytes of anonymous and shared memory that are in use here: what files map is none of it.
    0 where that cannot be told.
    """
    if not kernel.HAS_PROC:
        return 0
    return 1024 * (
        _number(_ANONYMOUS, "/proc/self/smaps_rollup") + _number(_SHARED, "/proc/self/status")
    )


def _number(pattern: Pattern[str], path: str) -> int:
    match = pattern.search(kernel.read(path))
    return int(match.group(1)) if match else 0


class Gauge:
    """Reads, and remembers {memory, heap, objects} of each reading twice: trimmed but
    uncollected, and collected.
    """

    def __init__(self, reader: MeterReader) -> None:
        self.reader = reader
        self.count = array("q", [0])
        self._loose = [reader.blank() for _ in range(MOST)]
        self._rest = [reader.blank() for _ in range(MOST)]
        self._memory = array("q", [0] * (2 * MOST))
        for _ in range(2):  # what a first reading takes
            self.read()
        self.count[0] = 0

    def read(self) -> int:
        """One reading; its index, or the last one's without room for more."""
        index = min(self.count[0], MOST - 1)
        self.reader.read_as_it_is(self._loose[index])
        self._memory[2 * index] = memory()
        self.reader.read(self._rest[index])
        heap.trim()
        self._memory[2 * index + 1] = memory()
        self.count[0] = index + 1
        return index

    def rose(self, since: int, until: int) -> Dict[str, int]:
        """By how much each meter rose between two collected readings."""
        values = self.values(until)
        return {name: values[name] - value for name, value in self.values(since).items()}

    def values(self, index: int) -> Dict[str, int]:
        """{meter: value} after the collector ran."""
        return self._named(self._rest[index], self.memory(index))

    def memory(self, index: int) -> int:
        """Bytes of memory after the collector ran."""
        return self._memory[2 * index + 1]

    def collected(self, index: int) -> Dict[str, int]:
        """{meter: amount that the collector gave back} at one reading."""
        loose = self._named(self._loose[index], self._memory[2 * index])
        return {name: loose[name] - value for name, value in self.values(index).items()}

    def _named(self, reading: Any, resident: int) -> Dict[str, int]:
        known = self.reader.values(reading)
        return dict(
            {
                name: known[name]
                for name in ("heap", "objects", "tracked", "files")
                if name in known
            },
            memory=resident,
        )


def points(gauge: Gauge, since: int) -> List[int]:
    """Bytes of memory at each reading from one on, less what was there at that one."""
    first = gauge.memory(since)
    return [gauge.memory(index) - first for index in range(since, gauge.count[0])]
