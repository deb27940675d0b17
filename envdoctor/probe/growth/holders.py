"""Holders of an object: a chain of references from a module, a class or a thread to it, or from
what the interpreter itself keeps.

One breadth-first search from all modules and classes finds the shortest ways to any number of
objects, level by level, in time that is linear in the references of the heap: a heap with PyTorch
takes 0.2 s, three million objects take 2 s. A way is read back from the levels afterwards.
Objects are handed in as weak references, so that the caller is not what holds them; run the
collector first, or garbage that waits for it reads as held from native code.
"""

from __future__ import annotations

import gc
import sys
import threading
import time
import types
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Set

from envdoctor.probe.growth import chains, interpreter_roots
from envdoctor.probe.heartbeat import beat

NATIVE = "held from native code"

MAX_SECONDS = 10.0  # of CPU, for one search: enough for ten million objects
CHUNK = 4096  # objects between two looks at the clock

_OURS = "envdoctor"


def holder_chain(reference: Callable[[], object], seconds: float = MAX_SECONDS) -> Optional[str]:
    """`pkg.sim.REGISTRY[3].callbacks[0]`, or NATIVE when nothing that the collector knows leads to
    the object. None when it is gone, or when the time did not suffice to say either.
    """
    return holder_chains([reference], seconds)[0]


def holder_chains(
    references: Sequence[Callable[[], object]], seconds: float = MAX_SECONDS
) -> List[Optional[str]]:
    """Those of several objects, found by one search."""
    gc.unfreeze()  # see settle.leave_out_what_is_there
    targets = [reference() for reference in references]
    there = [target for target in targets if target is not None]
    if not there:
        return [None] * len(targets)
    search = HolderSearch(there, seconds)
    return [search.chain(target) for target in targets]


class HolderSearch:
    """The shortest ways to some objects from a root: a module or a class. What only threads lead to
    comes after all of that: it goes with them, and another finding names threads that go on. What
    only the interpreter keeps comes last. `more` are objects that are roots as well. With
    `complete`, nothing leads to what was not reached.
    """

    def __init__(
        self, targets: Iterable[object], seconds: float, more: Sequence[object] = ()
    ) -> None:
        self.complete = True
        self.missing = {id(target) for target in targets}  # addresses of what was not reached
        self._deadline = time.thread_time() + seconds
        self._holders: Dict[int, object] = {}  # on the way, by the address of what they hold
        self._reached: List[Dict[int, object]] = []  # by level: what was asked for, by address
        self._levels: List[List[object]] = []
        self._own = OwnTypes()
        threads = threading.enumerate()
        roots = _roots(more)
        self._visited = {id(obj) for obj in (*roots, *threads)}
        self._visited |= running_frames() | _own_namespaces()
        self._descend([root for root in roots if not self._own.made(root)])
        self._descend(list(threads))
        self._named: Dict[int, str] = {}  # roots that do not say what they are
        if self.missing and self.complete:
            kept = interpreter_roots.roots()
            self._named = {id(obj): text for text, obj in kept}
            self._descend([obj for _, obj in kept if id(obj) not in self._visited])
        self._trace_back()

    def _descend(self, level: List[object]) -> None:
        """Look through what lies below some roots, until all that is wanted was reached."""
        self._reached.append(self._wanted_of(level))
        while level and self.missing:
            self._levels.append(level)
            self._reached.append({})
            level = self._below(level)
        self._levels.append([])

    def _below(self, level: List[object]) -> List[object]:
        """Return what a level refers to that no level has yet."""
        own, visited, function = self._own, self._visited, types.FunctionType
        below: Dict[int, object] = {}
        for start in range(0, len(level), CHUNK):
            beat()
            if time.thread_time() > self._deadline:
                self.complete = False
                return []
            held = gc.get_referents(*level[start : start + CHUNK])
            self._reached[-1].update(self._wanted_of(held))
            fresh = {
                id(obj): obj
                for obj in filter(gc.is_tracked, held)
                if id(obj) not in visited
                and not own[type(obj)]
                and not (type(obj) is function and own.made(obj))
            }
            visited.update(fresh)
            below.update(fresh)
        return list(below.values())

    def _wanted_of(self, objects: List[object]) -> Dict[int, object]:
        """Those that were asked for and not reached yet, by address."""
        if self.missing.isdisjoint(map(id, objects)):
            return {}
        wanted = {id(obj): obj for obj in objects if id(obj) in self.missing}
        self.missing.difference_update(wanted)
        return wanted

    def _trace_back(self) -> None:
        """Find the first object of each level that holds something on a way, from the last level
        to the first.
        """
        for depth in range(len(self._levels) - 1, 0, -1):
            level, held = self._levels[depth - 1], set(self._reached[depth])
            for start in range(0, len(level) if held else 0, CHUNK):
                chunk = level[start : start + CHUNK]
                if held.isdisjoint(map(id, gc.get_referents(*chunk))):
                    continue
                for obj in chunk:
                    for address in held.intersection(map(id, gc.get_referents(obj))):
                        self._holders[address] = obj
                        self._reached[depth - 1][id(obj)] = obj
                        held.discard(address)
        del self._levels[:], self._reached[:]
        self._visited.clear()

    def reached(self, target: object) -> bool:
        """Return whether a way leads to an object that was asked for."""
        return id(target) not in self.missing

    def path(self, target: object) -> List[object]:
        """The objects from a root to one that was asked for, each of which refers to the next;
        empty where no way was found.
        """
        if not self.reached(target):
            return []
        path = [target]
        while id(path[0]) in self._holders:
            path.insert(0, self._holders[id(path[0])])
        return path

    def chain(self, target: object) -> Optional[str]:
        """Return the path as text, or NATIVE; None where the time did not suffice to say either."""
        path = [] if target is None else self.path(target)
        if path:
            return chains.chain(path, self._named.get(id(path[0]), ""))
        return NATIVE if self.complete and target is not None else None


def _roots(more: Sequence[object]) -> List[object]:
    """Each once; those that the user froze as well, as far as they were imported."""
    kinds = _Roots()
    objects = [*more, *sys.modules.values()]
    objects += [obj for obj in gc.get_objects() if kinds[type(obj)]]
    return list({id(obj): obj for obj in objects}.values())


class _Roots(Dict[type, bool]):
    """Types, and True for those whose objects are modules or classes."""

    def __missing__(self, kind: type) -> bool:
        self[kind] = issubclass(kind, (types.ModuleType, type))
        return self[kind]


class OwnTypes(Dict[type, bool]):
    """Types, and True for envdoctor's own. It is asked once an object of the heap."""

    def __missing__(self, kind: type) -> bool:
        self[kind] = _is_own(getattr(kind, "__module__", ""))
        return self[kind]

    def made(self, obj: Any) -> bool:
        """Return whether envdoctor made an object: a module, class, function or instance."""
        kind = type(obj)
        if self[kind] or kind is types.ModuleType:
            return self[kind] or _is_own(obj.__name__)
        return (kind is type or kind is types.FunctionType) and _is_own(
            getattr(obj, "__module__", "")
        )


def running_frames() -> Set[int]:
    """Frames that are being executed: what they hold is held for a moment, by us for one. Frames
    that a stored traceback keeps are holders like any other.
    """
    addresses = set()
    frames = list(sys._current_frames().values())
    while frames:
        frame = frames.pop()
        addresses.add(id(frame))
        if frame.f_back is not None:
            frames.append(frame.f_back)
        del frame  # our own would keep itself, and its callers
    return addresses


def _own_namespaces() -> Set[int]:
    modules = list(sys.modules.items())
    return {
        id(vars(module))
        for name, module in modules
        if _is_own(name) and isinstance(module, types.ModuleType)
    }


def _is_own(name: object) -> bool:
    return isinstance(name, str) and (name == _OURS or name.startswith(_OURS + "."))
