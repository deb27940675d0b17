"""Attributes that hold something to be given back, followed across resets: the same object, or a
new one each time, and what became of the old one. Keeps no reference to any of them.
"""

from __future__ import annotations

import gc
import time
import types
import weakref
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple

from envdoctor.probe.system.deadline import Deadline
from envdoctor.probe.tracing.holdings import (
    MAX_ITEMS,
    MAX_TEXT,
    Holding,
    holding_of,
    parts_of,
    releases_of,
)
from envdoctor.probe.tracing.identity import Serials
from envdoctor.probe.wrappers import innermost

GRACE = 1.0  # seconds that a replaced thread or process gets to end; paid only where one did not
PAUSE = 0.01
MAX_FOLLOWED = 40

_CACHES = ("_lru_cache_wrapper", "_lru_list_elem")


class Old(NamedTuple):
    """One object that an attribute was: a weak reference, and what it held."""

    reference: Any
    holdings: Tuple[Holding, ...]


class TrackedHandle:
    """One attribute: the serials of the objects that it was, look by look, and what is known of
    them.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.type = ""
        self.releases: List[str] = []
        self.serials: List[int] = []
        self.known: Dict[int, Old] = {}


class HandleTracker:
    """Looks at an environment before and after each reset."""

    def __init__(self, environment: object) -> None:
        self.resets = -1
        self._serials = Serials()
        self._followed: Dict[str, TrackedHandle] = {}
        self._rebuilt: Dict[str, int] = {}
        self._present: Set[int] = set()
        self._present_keys: Set[Tuple[str, int]] = set()
        self.look(environment)

    def look(self, environment: object) -> None:
        """Note what the environment holds now."""
        self.resets += 1
        earlier = {serial for followed in self._followed.values() for serial in followed.serials}
        self._present, self._present_keys = set(), set()
        for name, value in walk(innermost(environment)):
            self._note(name[:MAX_TEXT], value, earlier)

    def _note(self, name: str, value: object, earlier: Set[int]) -> None:
        releases = releases_of(value)
        heavy = bool(releases) or holding_of(value, self._serials.serial) is not None
        number = self._serials.serial(value) if heavy else None
        if number is None or (name not in self._followed and len(self._followed) == MAX_FOLLOWED):
            return
        holdings = tuple(self._holdings(value))
        self._present.add(number)
        self._present_keys.update(holding.key for holding in holdings)
        followed = self._followed.setdefault(name, TrackedHandle(name))
        if followed.serials and number not in earlier:
            self._rebuilt[name] = self._rebuilt.get(name, 0) + 1
        followed.type, followed.releases = type(value).__qualname__[:MAX_TEXT], releases
        followed.serials.append(number)
        followed.known[number] = Old(_reference(value), holdings)

    def _holdings(self, value: object) -> Iterator[Holding]:
        """Yield the holdings that an object and its attributes are, containers opened."""
        inside = [part for _, part in parts_of(value)]
        for thing in (
            value,
            *inside,
            *(
                item
                for part in inside
                if type(part) in (list, tuple, set, dict)
                for _, item in parts_of(part)
            ),
        ):
            holding = holding_of(thing, self._serials.serial)
            if holding is not None:
                yield holding

    def facts(self) -> List[Dict[str, object]]:
        """Describe what became of each attribute and of the objects that were replaced."""
        replaced = {name: self._replaced(followed) for name, followed in self._followed.items()}
        _wait_for([old for olds in replaced.values() for old in olds], self._present_keys)
        collectable = self._collect(replaced.values())
        return [
            self._tell(followed, replaced[name], collectable)
            for name, followed in self._followed.items()
        ]

    def _replaced(self, followed: TrackedHandle) -> List[Old]:
        return [old for number, old in followed.known.items() if number not in self._present]

    def _collect(self, replaced: Iterable[List[Old]]) -> Set[Tuple[str, int]]:
        """Return the keys of what only waits for the collector; it runs only where some is left."""
        left = [
            holding
            for olds in replaced
            for old in olds
            for holding in _left(old, self._present_keys)
        ]
        if not left:
            return set()
        gc.unfreeze()
        gc.collect()
        return {holding.key for holding in left if not holding.is_held()}

    def _tell(
        self, followed: TrackedHandle, olds: List[Old], collectable: Set[Tuple[str, int]]
    ) -> Dict[str, object]:
        unreleased, texts = 0, []
        for old in olds:
            left = [
                holding
                for holding in old.holdings
                if holding.key not in self._present_keys
                and (holding.key in collectable or holding.is_held())
            ]
            if left and not _is_cached(old, left):
                unreleased += 1
                texts += [holding.text for holding in left]
        return {
            "name": followed.name,
            "type": followed.type,
            "releases": followed.releases,
            "resets": self.resets,
            "rebuilt": self._rebuilt.get(followed.name, 0),
            "replaced": len(olds),
            "unreleased": unreleased,
            "left": texts[:MAX_ITEMS],
            "collectable": bool(texts) and bool(collectable),
            "kept": sum(old.reference() is not None for old in olds) if not unreleased else 0,
        }


def walk(base: object) -> Iterator[Tuple[str, object]]:
    """The attributes of the innermost environment, and one level into each."""
    for dotted, value in parts_of(base):
        name = dotted[1:]
        yield name, value
        if value is not base and not isinstance(value, types.ModuleType):
            for more, part in parts_of(value):
                if part is not base:
                    yield name + more, part


def _reference(value: object) -> object:
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: None


def _left(old: Old, present: Set[Tuple[str, int]]) -> List[Holding]:
    return [holding for holding in old.holdings if holding.key not in present and holding.is_held()]


def _wait_for(olds: List[Old], present: Set[Tuple[str, int]]) -> None:
    """Give threads and processes that were asked to stop the time to do so."""
    waiting: Optional[Deadline] = None
    while any(holding.key[0] != "file" for old in olds for holding in _left(old, present)):
        waiting = waiting or Deadline(GRACE)
        if waiting.ends_within(PAUSE):
            break
        time.sleep(PAUSE)


def _is_cached(old: Old, left: List[Holding]) -> bool:
    """Return whether a cache keeps it, for a level that may come again: open files in one are not
    an accident.
    """
    things = [old.reference(), *(holding.thing() for holding in left)]
    return all(holding.key[0] == "file" for holding in left) and any(
        _in_a_cache(thing) for thing in things if thing is not None
    )


def _in_a_cache(thing: object) -> bool:
    """Return whether a dictionary refers to it that is not the attributes of an object, or
    functools' own cache.
    """
    referrers = gc.get_referrers(thing)
    return any(
        type(each).__name__ in _CACHES or (type(each) is dict and _owner_of(each) is None)
        for each in referrers
    )


def _owner_of(attributes: Dict[str, object]) -> Optional[object]:
    """The object whose attributes a dictionary is."""
    return next(
        (
            owner
            for owner in gc.get_referrers(attributes)
            if getattr(owner, "__dict__", None) is attributes
        ),
        None,
    )
