"""The lines that allocated an object, as memray saw it."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
from typing import TYPE_CHECKING, Dict, Iterator, Tuple

if TYPE_CHECKING:
    from types import ModuleType

    from memray import AllocationRecord


#: File and line of each frame, the innermost first.
Stack = Tuple[Tuple[str, int], ...]

#: Bytes before an object that belong to what was allocated: the collector's, a namespace, weak
#: references.
HEADERS = (0, 16, 24, 32, 40, 48)


class AllocationStacks:
    """Of the objects that were made while allocations were recorded, into a file in `home`. Nothing
    is known where the interpreter has no memray, and of objects that Python kept to use them again.
    """

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, "stacks.bin")
        self._live: Dict[int, Stack] = {}  # of what was not freed, by address

    @contextlib.contextmanager
    def recorded(self) -> Iterator[None]:
        """Record meanwhile."""
        try:
            memray = importlib.import_module("memray")
        except ImportError:
            yield
            return
        gc.collect()  # it empties the lists of objects that Python keeps to use them again
        destination = memray.FileDestination(self._path, overwrite=True)
        with memray.Tracker(destination=destination, trace_python_allocators=True):
            yield
        self._live = dict(self._read(memray))

    def of(self, obj: object) -> Stack:
        """The lines that allocated an object; empty where they are not known."""
        for before in HEADERS:
            stack = self._live.get(id(obj) - before)
            if stack is not None:
                return stack
        return ()

    def _read(self, memray: ModuleType) -> Iterator[Tuple[int, Stack]]:
        live: Dict[int, AllocationRecord] = {}
        with memray.FileReader(self._path) as reader:
            for record in reader.get_allocation_records():
                if record.size:
                    live[record.address] = record
                else:  # it was freed
                    live.pop(record.address, None)
            for address, record in live.items():
                yield address, tuple((file, line) for _, file, line in record.stack_trace())
        with contextlib.suppress(OSError):
            os.remove(self._path)
