"""Who still holds an object: a chain of references from a module, a class or a thread to it.

A breadth-first search finds the shortest way. The collector walks the heap once for each level, in
C, and tells what refers to any object of it; a heap with PyTorch takes 20 ms. That walk compares
each reference with each object, so where a level is wide, one pass in Python turns all references
round instead.
The object is handed in as a weak reference, so that the caller is not what holds it; run the
collector first, or garbage that waits for it reads as held from native code.
"""

from __future__ import annotations

import gc
import sys
import threading
import time
import types
from collections import deque
from typing import Any, Callable, Dict, Iterator, List, Optional, Set

from envdoctor.probe.growth import chains

NATIVE = "held from native code"

MAX_SECONDS = 5.0  # of CPU, for one wide chain; a heap with torch loaded has half a million objects
WIDE = 64  # objects of a level, beyond which all references are turned round
_CHECK_EVERY = 4096  # objects between two looks at the clock

_OURS = "envdoctor"


def holder_chain(reference: Callable[[], Any], seconds: float = MAX_SECONDS) -> Optional[str]:
    """`pkg.sim.REGISTRY[3].callbacks[0]`, or NATIVE when nothing that the collector knows leads to
    the object. None when it is gone, or when the time did not suffice to say either.
    """
    target = reference()
    if target is None:
        return None
    gc.unfreeze()  # see settle.leave_out_what_is_there
    path = _narrow_path(target)
    if path is not None:
        return chains.chain(path) if path else NATIVE
    search = Search(target, time.thread_time() + seconds)
    try:
        path = search.path()
        if path is not None:
            return chains.chain(path)
        return NATIVE if search.complete else None
    finally:
        search.objects.clear()  # the search is among them: a cycle that holds the whole heap


def _narrow_path(target: Any) -> Optional[List[Any]]:
    """The objects from a root to the target, as `Search.path` finds them; an empty list where
    nothing leads there, and None where a level is too wide.
    """
    threads = {id(thread) for thread in threading.enumerate()}
    own = OwnTypes()
    of_thread: List[Any] = []
    reached: Dict[int, Any] = {id(target): target}
    holds: Dict[int, int] = {}  # {id of an object: id of what it holds on the way to the target}
    level = [target]
    while level:
        if len(level) > WIDE:
            return None
        holders = gc.get_referrers(*level)
        ours = running_frames() | _own_namespaces() | {id(reached), id(level), id(holders)}
        links = sorted(
            (at, number)
            for number, holder in enumerate(holders)
            if id(holder) not in ours and id(holder) not in reached and not own.made(holder)
            for at in _held_by(holder, level)
        )
        held, level = level, []
        for at, number in links:
            holder = holders[number]
            if id(holder) in reached:
                continue
            reached[id(holder)], holds[id(holder)] = holder, id(held[at])
            if id(holder) in threads:
                of_thread = of_thread or _way(id(holder), reached, holds)
            elif _is_root(holder):
                return _way(id(holder), reached, holds)
            else:
                level.append(holder)
        del holders, held  # they refer to the next level
    return of_thread


def _held_by(holder: Any, level: List[Any]) -> List[int]:
    """Which objects of a level an object refers to."""
    wanted = {id(obj): at for at, obj in enumerate(level)}
    return sorted({wanted[id(obj)] for obj in gc.get_referents(holder) if id(obj) in wanted})


def _way(address: int, reached: Dict[int, Any], holds: Dict[int, int]) -> List[Any]:
    """The objects from one that was reached to the target."""
    addresses = [address]
    while addresses[-1] in holds:
        addresses.append(holds[addresses[-1]])
    return [reached[each] for each in addresses]


class Search:
    """The heap as it was when the search began, with its references turned round."""

    def __init__(self, target: Any, deadline: float) -> None:
        self.target = target
        self.deadline = deadline
        self.complete = True
        self.objects: List[Any] = gc.get_objects()
        # {id of an object: positions of those that refer to it}.
        self.holders: Dict[int, List[int]] = {}
        self.threads = {id(thread) for thread in threading.enumerate()}
        self._index()

    def _index(self) -> None:
        known = set(map(id, self.objects))
        known.add(id(self.target))
        spared = running_frames() | _own_namespaces()
        own = OwnTypes()
        for position, holder in enumerate(self.objects):
            if position % _CHECK_EVERY == 0 and time.thread_time() > self.deadline:
                self.complete = False
                return
            if id(holder) in spared or own.made(holder):
                continue
            for held in gc.get_referents(holder):
                if id(held) in known:
                    self.holders.setdefault(id(held), []).append(position)

    def path(self) -> Optional[List[Any]]:
        """The objects from a root to the target, or None. A module or class before a thread: what
        a thread holds goes with it, and another finding names threads that go on.
        """
        of_thread: Optional[List[Any]] = None
        came: Dict[int, int] = {}  # {position: position of what it holds}, -1 for the target
        waiting = deque([-1])
        while waiting:
            position = waiting.popleft()
            held = self.target if position < 0 else self.objects[position]
            for holder in self.holders.get(id(held), ()):
                if holder in came or self.objects[holder] is self.target:
                    continue
                came[holder] = position
                if id(self.objects[holder]) in self.threads:
                    of_thread = of_thread or list(self._walk(holder, came))
                elif self._is_root(self.objects[holder]):
                    return list(self._walk(holder, came))
                else:
                    waiting.append(holder)
        return of_thread

    def _is_root(self, obj: Any) -> bool:
        return _is_root(obj)

    def _walk(self, position: int, came: Dict[int, int]) -> Iterator[Any]:
        while position >= 0:
            yield self.objects[position]
            position = came[position]
        yield self.target


def _is_root(obj: Any) -> bool:
    return type(obj) is types.ModuleType or issubclass(type(obj), (types.ModuleType, type))


def running_frames() -> Set[int]:
    """Frames that are being executed: what they hold is held for a moment, by us for one. Frames
    that a stored traceback keeps are holders like any other.
    """
    found = set()
    frames = list(sys._current_frames().values())
    while frames:
        frame = frames.pop()
        found.add(id(frame))
        if frame.f_back is not None:
            frames.append(frame.f_back)
        del frame  # our own would keep itself, and its callers
    return found


def _own_namespaces() -> Set[int]:
    modules = list(sys.modules.items())
    return {
        id(vars(module))
        for name, module in modules
        if _is_own(name) and isinstance(module, types.ModuleType)
    }


class OwnTypes:
    """Tells what envdoctor made. Types are remembered: this is asked once an object of the heap."""

    def __init__(self) -> None:
        self._types: Dict[type, bool] = {}

    def made(self, obj: Any) -> bool:
        """Whether an object is the probe's own."""
        kind = type(obj)
        own = self._types.get(kind)
        if own is None:
            own = self._types[kind] = _is_own(getattr(kind, "__module__", ""))
        if own or kind is types.ModuleType:
            return own or _is_own(obj.__name__)
        return (kind is type or kind is types.FunctionType) and _is_own(
            getattr(obj, "__module__", "")
        )


def _is_own(name: Any) -> bool:
    return isinstance(name, str) and (name == _OURS or name.startswith(_OURS + "."))
