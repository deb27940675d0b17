"""Closed instances that something keeps: how many of a class were there, closed, when the last one
of it was made, and who keeps them when the process has ended.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Callable, Dict, Iterator, List

from envdoctor.model.page import FIRST, WIDTH
from envdoctor.probe.live.rows import InstanceRow
from envdoctor.probe.ownership import frame_of

LEAST = 8  # of a class
MOST = 64  # of a class whose keepers are looked for
SECONDS = 3.0  # of CPU, for the search
HOLDERS = "envdoctor.probe.growth.holders"
CONTAINERS = (dict, list, tuple, set, functools.partial, ModuleType)


class ClosedInstances:
    """Those of this process that were closed, and neither reset since nor freed, by their class:
    how many there are, and how many there were when the last one of the class was made.
    """

    def __init__(self) -> None:
        self._now: Dict[int, int] = {}
        self._earlier: Dict[int, int] = {}
        self._rises: Dict[int, int] = {}  # how often there were more of them than ever before
        self._most: Dict[int, int] = {}

    def made(self, counted: object) -> None:
        """Another one of a class is made. Those of a vectorizer are closed all at once, and a
        variable of the script may have it: they are more of them than before once.
        """
        key = id(counted)
        self._earlier[key] = now = self._now.get(key, 0)
        if now > self._most.get(key, 0):
            self._most[key] = now
            self._rises[key] = self._rises.get(key, 0) + 1

    def closed(self, row: InstanceRow) -> None:
        """An open one is closed."""
        self._now[id(row.counted)] = self._now.get(id(row.counted), 0) + 1

    def opened(self, row: InstanceRow) -> None:
        """One that may be closed is reset, or freed."""
        if not row.open:
            self._now[id(row.counted)] = self._now.get(id(row.counted), 0) - 1

    def forget(self) -> None:
        """In a forked child, where those of the parent are not the question."""
        for counts in (self._now, self._earlier, self._rises, self._most):
            counts.clear()

    def events(
        self, rows: List[InstanceRow], load: Callable[[str], ModuleType]
    ) -> Iterator[Dict[str, object]]:
        """The classes of which many are kept, with a way that leads to one of them. Where no way
        leads to an instance, it is garbage that the collector has not come to.
        """
        groups: Dict[int, List[InstanceRow]] = {}
        for row in rows:
            if not row.open and self._rises.get(id(row.counted), 0) >= LEAST:
                groups.setdefault(id(row.counted), []).append(row)
        many = {key: group[:MOST] for key, group in groups.items() if len(group) >= LEAST}
        if not many:
            return
        there = [
            obj for group in many.values() for obj in [row() for row in group] if obj is not None
        ]
        search = load(HOLDERS).HolderSearch(there, SECONDS)
        for key, group in many.items():
            kept = [row for row in group if search.reached(row())]
            if len(kept) >= LEAST:
                place, first, earlier = kept[0].closed_at, kept[0](), self._earlier[key]
                yield {
                    "row": kept[0].start // WIDTH - FIRST + 1,
                    "number": earlier if len(kept) == MOST else min(earlier, len(kept)),
                    "where": search.chain(first),
                    "given": _owner(search.path(first)),
                    "frame": frame_of(place) if place is not None else {},
                }


def _owner(path: List[object]) -> str:
    """The class of the innermost object on a way that refers to its end by an attribute; nothing
    where only containers and modules do.
    """
    for obj in reversed(path[:-1]):
        if not issubclass(type(obj), CONTAINERS):
            return type(obj).__name__
    return ""
