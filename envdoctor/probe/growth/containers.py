"""Containers of any kind: how long they are, and cutting them back to what they were.

Cutting back shows what a container keeps, exactly: what the meters rise by without it is what grows
elsewhere. It happens at readings only, and only in scenarios whose errors are held against no one.
No code of the subject runs: subclasses are handled by the methods of their built-in type.
"""

from __future__ import annotations

import gc
import itertools
import sys
import types
from array import array
from collections import OrderedDict, deque
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.growth import chains
from envdoctor.probe.growth.chains import CACHE, is_a, module_of, type_name

_TRACKED: Tuple[type, ...] = (list, dict, set, deque)
_UNTRACKED: Tuple[type, ...] = (bytearray, array)  # the collector does not know them
KINDS = (*_TRACKED, *_UNTRACKED)
DEPTH, BREADTH = 5, 40  # references that are followed from one element
SHALLOW = 3  # of them, to what belongs to it: a row of a table, and what is in that
GRAPH = "graph"
CHUNK = 4096  # objects whose references are asked for at once

_cut_back: List[WatchedContainer] = []  # before each reading


class WatchedContainer:
    """A container that grew by `rise` over some cycles. `removed` counts what was cut off since it
    was made.
    """

    def __init__(self, obj: Any, chain: str, rise: int, own: Sequence[type] = ()) -> None:
        self.obj = obj
        self.chain = chain
        self.rise = rise
        self.removed = 0
        self.kind = _kind_of(obj)
        self.base = len(self) - rise
        self.first = _first(obj) if self.base else None  # where new ones come in
        self.members = set(obj) if self.kind is set else None
        self.element, self.handle, self.instance = _described(obj, self.kind, tuple(own))
        self.entry = _entry(obj, self.kind)
        self.beside = ""  # the container that has the same things: a registry and its index

    def __len__(self) -> int:
        return length(self.obj)

    @property
    def grown(self) -> int:
        """The elements that it got since it was first looked at, with those cut off."""
        return len(self) - self.base + self.removed

    def described(self) -> Dict[str, object]:
        """As the journal has it."""
        fields = {"type": type_name(type(self.obj)), "chain": self.chain, "grew": self.rise}
        fields.update(unbounded=True, overhead=overhead(self.kind, self.obj))
        fields.update(element=self.element, handle=self.handle, instance=self.instance)
        fields.update(beside=self.beside)
        return fields

    def cut(self) -> None:
        """Take out what came since it was first looked at."""
        rise = len(self) - self.base
        if rise <= 0 and self.kind is not CACHE:
            return
        self.removed += rise
        _CUTS[self.kind](self, rise)


def _kind_of(obj: object) -> Any:
    return next(kind for kind in (*_TRACKED, *_UNTRACKED, CACHE) if is_a(obj, kind))


def length(obj: Any) -> int:
    """Return the number of elements of a container."""
    kind = _kind_of(obj)
    return int(obj.cache_info().currsize if kind is CACHE else kind.__len__(obj))


def overhead(kind: object, obj: Any) -> float:
    """Bytes that one element takes of a container with a million of them, besides its own."""
    if kind is array:
        return float(obj.itemsize) * 9 / 8
    return _OVERHEAD.get(kind, 0.0)


#: Measured with sys.getsizeof() on CPython 3.11, 64 bits; it varies with the number of elements,
#: since room is made ahead.
_OVERHEAD = {list: 8.45, deque: 8.3, set: 33.6, dict: 41.9, bytearray: 1.06, CACHE: 41.9}


def bound_of(obj: object) -> Optional[int]:
    """Return the most elements that a container may have, or None for any number."""
    return obj.maxlen if is_a(obj, deque) else None


def lengths(variables: Iterable[object] = ()) -> Iterator[Tuple[int, int]]:
    """(address, length) of every container, those of subclasses too, and of those among the values
    of `variables`: what only a running function has may be unknown to the collector.
    """
    kinds = _Kinds()
    for obj in gc.get_objects():
        kind = kinds[type(obj)]
        if kind is not None:
            yield id(obj), kind.__len__(obj)
    for obj in _untracked(variables):
        yield id(obj), len(obj)


def find(address: int) -> object:
    """The object at an address, if the collector knows one there or one step further: a dict of
    plain values it does not.
    """
    return at((address,)).get(address)


def at(addresses: Iterable[int], variables: Iterable[object] = ()) -> Dict[int, object]:
    """Find the objects at many addresses, by address. Once through the heap, and through the values
    of `variables`.
    """
    wanted = set(addresses)
    objects = {id(obj): obj for obj in gc.get_objects() if id(obj) in wanted}
    if len(objects) < len(wanted):
        objects.update((id(obj), obj) for obj in _untracked(variables) if id(obj) in wanted)
    return objects


class _Kinds(Dict[type, Any]):
    """The built-in type below each type, or None: there are fewer types than objects. Those of
    envdoctor are left out.
    """

    def __missing__(self, own: type) -> object:
        kinds = () if module_of(own).startswith("envdoctor.") else _TRACKED
        self[own] = next((kind for kind in kinds if issubclass(own, kind)), None)
        return self[own]


def _untracked(variables: Iterable[object]) -> Iterator[Any]:
    """Containers that the collector leaves out: dicts that hold only plain values, as
    module-level tables often do, and arrays of bytes and numbers. It leaves out the frames of
    running functions as well.
    """
    wanted = (dict, *_UNTRACKED)
    objects = gc.get_objects()
    groups = (_held_by(objects[at : at + CHUNK]) for at in range(0, len(objects), CHUNK))
    for group in itertools.chain((variables,), groups):
        for held in group:
            kind = type(held)
            if kind in wanted and (kind is not dict or not gc.is_tracked(held)):
                yield held


def _held_by(objects: Sequence[object]) -> List[object]:
    """Return what these objects refer to. Python 3.12 takes all memory where a generator asks for
    it.
    """
    return gc.get_referents(*objects)


def _described(obj: object, kind: object, own: Tuple[type, ...]) -> Tuple[str, str, bool]:
    """The type of what was put in last, the meter of what it stands for, and whether it keeps an
    instance of the classes `own`.
    """
    try:
        known = _last_entry(obj) if kind is CACHE else _last(obj, kind)
        last = known[1] if kind is CACHE else known
    except Exception:  # it is empty, or another thread changes it meanwhile
        return "", "", False
    return type_name(type(last)), handle_of(last), _leads_to(known, own)


def _leads_to(obj: object, kinds: Tuple[type, ...]) -> bool:
    """Return whether an object is, or closely refers to, an instance of one of the classes: a
    method of it, a wrapper around it, a function that knows it.
    """
    return bool(_ask_closely(obj, DEPTH, lambda each: type(each) in kinds))


def _ask_closely(obj: object, depth: int, ask: Callable[[object], object]) -> object:
    """The first answer that is not empty, of an object and of what it refers to through few
    references, the nearest first; None where there is none.
    """
    reached = [obj]
    for level in range(depth):
        for each in reached:
            answer = ask(each)
            if answer:
                return answer
        reached = _referents(reached[:BREADTH]) if level + 1 < depth else []
    return None


def _referents(objects: Sequence[object]) -> List[object]:
    return [
        held
        for each in objects
        for held in gc.get_referents(each)
        if not is_a(held, (type, types.ModuleType, str, int, float))
        and (type(each) is not types.FunctionType or held is not each.__globals__)
    ]


def _entry(obj: Any, kind: object) -> Set[int]:
    """The identities of what was put in last: a key and its value, or an element."""
    try:
        last = list(dict.items(obj))[-1] if kind is dict else (_last(obj, kind),)
    except Exception:  # it is empty, or another thread changes it meanwhile
        return set()
    return {id(each) for each in last if not is_a(each, (str, int, float, type(None)))}


def pair(grown: Sequence[WatchedContainer]) -> None:
    """Tell containers apart from those that only have the same things again."""
    for at, container in enumerate(grown):
        for other in grown[:at]:
            if container.entry & other.entry and not other.beside:
                container.beside = other.chain
                break


def handle_of(obj: object) -> str:
    """The meter of what an object stands for: the thread that it runs, the process that it started,
    the file that it has open.
    """
    for meter, module, names in _HANDLES:
        for name in names:
            kind = getattr(sys.modules.get(module), name, None)
            if isinstance(kind, type) and is_a(obj, kind):
                return meter
    return ""


def kept_by(obj: object) -> str:
    """The meter of the handle that an object keeps, itself or close to it; GRAPH for what PyTorch
    computed it from; or nothing.
    """
    return str(_ask_closely(obj, SHALLOW, _keeps) or "")


def _keeps(obj: Any) -> str:
    tensor = getattr(loaded.module("torch"), "Tensor", None)
    return GRAPH if type(obj) is tensor and obj.grad_fn is not None else handle_of(obj)


_HANDLES = (
    ("threads", "threading", ("Thread",)),
    ("processes", "subprocess", ("Popen",)),
    ("processes", "multiprocessing.process", ("BaseProcess",)),
    ("segments", "multiprocessing.shared_memory", ("SharedMemory",)),
    ("descriptors", "io", ("IOBase",)),
    ("descriptors", "socket", ("socket",)),
)


def _first(obj: object) -> object:
    """The identity of the first element, where elements have an order."""
    kind = _kind_of(obj)
    return id(kind.__getitem__(obj, 0)) if kind in (list, deque) else None


def last(obj: object) -> object:
    """Return the element that was put in last; None where it is empty or changes meanwhile."""
    try:
        return _last(obj, _kind_of(obj))
    except Exception:
        return None


def _last(obj: Any, kind: Any) -> Any:
    if kind is dict:
        return next(iter(reversed(list(dict.values(obj)))))
    if kind is CACHE:
        return _last_entry(obj)[1]
    if kind is set:
        return next(iter(set.__iter__(obj)))
    return kind.__getitem__(obj, -1)


def _last_entry(cache: object) -> Tuple[object, object]:
    """The arguments and the result that a functools.lru_cache without a bound got last. Raises
    StopIteration for one that is empty.
    """
    own = chains.own_namespace(cache)
    kept = (each for each in gc.get_referents(cache) if type(each) is dict and each is not own)
    return next(reversed(next(each for each in kept if len(each) == length(cache)).items()))


def _cut_sequence(held: WatchedContainer, rise: int) -> None:
    """From the end where new elements come in."""
    if held.first is not None and _first(held.obj) != held.first:
        held.kind.__delitem__(held.obj, slice(0, rise))
    else:
        held.kind.__delitem__(held.obj, slice(held.base, None))


def _cut_deque(held: WatchedContainer, rise: int) -> None:
    at_front = held.first is not None and _first(held.obj) != held.first
    take = deque.popleft if at_front else deque.pop
    for _ in range(rise):
        take(held.obj)


def _cut_dict(held: WatchedContainer, rise: int) -> None:
    take = OrderedDict.popitem if is_a(held.obj, OrderedDict) else dict.popitem
    for _ in range(rise):
        take(held.obj)


def _cut_set(held: WatchedContainer, _rise: int) -> None:
    set.intersection_update(held.obj, held.members or ())


def _cut_cache(held: WatchedContainer, _rise: int) -> None:
    held.base = 0
    held.obj.cache_clear()


_CUTS: Dict[object, Callable[[WatchedContainer, int], None]] = {
    list: _cut_sequence,
    bytearray: _cut_sequence,
    array: _cut_sequence,
    deque: _cut_deque,
    dict: _cut_dict,
    set: _cut_set,
    CACHE: _cut_cache,
}


class ContainerWatch:
    """The containers that one scenario watches: those before place `cut` are cut back at readings.
    `spent`: the last request to cut found none left.
    """

    def __init__(self) -> None:
        self.watched: List[WatchedContainer] = []
        self.cut = 0
        self.spent = False


def cut_back(held: WatchedContainer) -> None:
    """Cut a container back now and before every reading from here on."""
    _cut_back.append(held)
    held.cut()


def cut() -> None:
    """Cut back what is cut back before readings. Called by `settle`."""
    for held in _cut_back:
        held.cut()


def leave() -> None:
    """Leave all containers alone again."""
    del _cut_back[:]


def sizes(held: Sequence[WatchedContainer]) -> List[int]:
    """Bytes of the containers themselves, without their elements."""
    return [sys.getsizeof(each.obj, 0) for each in held]
