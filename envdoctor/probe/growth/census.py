"""Objects that grew, and their holders: the heap compared before and after some cycles.

The collector's permanent generation makes the window: what was there before is frozen, so that
afterwards the collector lists only what is new.
"""

from __future__ import annotations

import gc
import inspect
import sys
import threading
from types import FrameType
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from envdoctor.probe.growth import containers
from envdoctor.probe.growth.chains import CACHE, module_of, type_name
from envdoctor.probe.growth.containers import WatchedContainer
from envdoctor.probe.growth.holders import MAX_SECONDS, HolderSearch
from envdoctor.probe.growth.settle import LeftOut, keep_empty, leave_out_what_is_there, settle
from envdoctor.probe.heartbeat import beat

if TYPE_CHECKING:
    from functools import _CacheInfo

MAX_TYPES = 10
MAX_HOLDING = 5  # references from the outermost new holder of an instance to that
MAX_SAMPLES = 2  # objects whose holders are looked for
MAX_HOLDERS = 6  # containers that are reported
MAX_WAYS = 32  # containers whose way is written down: records of the standard library are not rare

_OURS = "envdoctor"

#: Modules that keep a record of each thread and each process: it grows because those do.
_RECORDS = ("threading", "multiprocessing", "subprocess", "_weakrefset", "concurrent", "weakref")
#: Of a module whose other containers are users': `logging.getLogger("arm").handlers`.
_OWN_RECORDS = ("logging._handlerList", "logging._at_fork_reinit_lock_weakset.data")

_PROCESS_RECORDS = {
    "subprocess": ("_active",),
    "multiprocessing.process": ("_children",),
    "multiprocessing.util": ("_finalizer_registry", "_afterfork_registry"),
}


class ObjectCensus(NamedTuple):
    """The fact that a window of cycles showed, for the journal, and the containers that grew."""

    fact: Dict[str, object]
    grown: List[WatchedContainer]


def census(
    run: Callable[[], int],
    rate: float,
    own: Sequence[type],
    roots: Mapping[str, object],
    lines: Callable[[str], List[Dict[str, object]]],
    compiles: str = "",
) -> ObjectCensus:
    """Compare the heap before and after `run`, which runs cycles and says how many.

    The fact is {"cycles", "types", "holders", "caches", "threads", "instances"}, each list with the
    largest growth first: what grew by half at least of what is expected, `rate` a cycle.
    "longer" are texts and arrays that got longer: attributes of the objects in `roots`, which has
    them by name, and globals of the modules of the classes `own`. `threads`, `processes` and
    `instances` say to how many new objects threads lead, the records of child processes, and
    instances of the classes `own`, with what leads to these. Caches of a bounded size that grew are
    emptied, now and before every reading from here on, so that the next blocks tell whether they
    were all; not those of the library that `compiles`. `lines` finds what makes the container
    longer that a chain leads to.
    """
    left_out = LeftOut()
    gc.unfreeze()
    settle()
    caches, lengths, kinds = dict(_caches()), dict(containers.lengths()), _count_types()
    sizes = dict(_sizes(own, roots))
    beat()
    leave_out_what_is_there()
    try:
        cycles = run()
        settle()
        fresh = gc.get_objects()
    finally:
        gc.unfreeze()
    beat()
    reached = {
        "threads": len(_reached(fresh, list(_thread_roots()))),
        "processes": len(_reached(fresh, list(_process_roots()))),
        "instances": _with_holders(fresh, [obj for obj in fresh if type(obj) in set(own)]),
    }
    expected = cycles * rate
    types = _grown_types(kinds, expected)
    samples = _samples(fresh, [kind for kind, _ in types])
    addresses = list(map(id, fresh))
    del fresh[:]
    longer = _grown_lengths(lengths, expected)
    there = containers.at(address for address, _ in longer)
    search = HolderSearch([*there.values(), *samples.values()], MAX_SECONDS)
    beat()
    grown, bounded = _grown_containers(longer, there, search, own)
    unbounded, others = _grown_caches(caches, own, compiles)
    grown += unbounded
    containers.pair(grown)
    strange = _without_holder(types, {holder.element for holder in grown})
    fact = {
        "cycles": cycles,
        "types": [{"type": type_name(kind), "grew": count} for kind, count in types],
        "holders": [
            *(dict(holder.described(), lines=lines(holder.chain)) for holder in grown),
            *_chains([samples[kind] for kind in strange if kind in samples], search),
        ],
        "caches": bounded + others,
        "longer": _longer(sizes, dict(_sizes(own, roots))),
        "unsearched": 0 if search.complete else len(search.missing),
        **reached,
    }
    del there, samples, search
    left_out.restore(addresses)
    return ObjectCensus(fact, grown)


def _sizes(own: Sequence[type], roots: Mapping[str, object]) -> Iterator[Tuple[str, int]]:
    """{name: bytes} of texts and arrays."""
    spaces = {name: getattr(root, "__dict__", {}) for name, root in roots.items()}
    for module in dict.fromkeys(kind.__module__ for kind in own):
        spaces[module] = getattr(sys.modules.get(module), "__dict__", {})
    for name, space in spaces.items():
        for key, value in list(space.items()):
            if isinstance(value, (str, bytes)) or type(value).__name__ == "ndarray":
                yield "%s.%s" % (name, key), sys.getsizeof(value, 0)


def _longer(before: Mapping[str, int], after: Mapping[str, int]) -> List[Dict[str, object]]:
    grown = [(size - before[name], name) for name, size in after.items() if name in before]
    return [{"chain": name, "grew": rise} for rise, name in sorted(grown, reverse=True) if rise > 0]


def _count_types() -> Dict[type, int]:
    """Objects by type. (A Counter asks abstract classes what it was given, and they remember.)"""
    counts: Dict[type, int] = {}
    for obj in gc.get_objects():
        counts[type(obj)] = counts.get(type(obj), 0) + 1
    return counts


def _grown_types(before: Dict[type, int], expected: float) -> List[Tuple[type, int]]:
    grown = [
        (kind, count - before.get(kind, 0))
        for kind, count in _count_types().items()
        if module_of(kind).split(".")[0] != _OURS
    ]
    wanted = [item for item in grown if item[1] >= max(1.0, expected / 2)]
    return sorted(wanted, key=_prominence)[:MAX_TYPES]


def _prominence(item: Tuple[type, int]) -> Tuple[bool, int]:
    """A class that was written for this program says more than the dicts of its instances."""
    return module_of(item[0]) in ("builtins", "collections", "types"), -item[1]


def _thread_roots() -> Iterator[object]:
    """Yield roots of other threads: the objects that stand for them, the frames they run, and what
    these have in variables.
    """
    here, frames = threading.get_ident(), sys._current_frames()
    for thread in threading.enumerate():
        if thread.ident != here and thread is not threading.main_thread():
            yield vars(thread)
            frame = frames.get(thread.ident or 0)
            while frame is not None:
                yield frame
                yield _variables(frame)
                frame = frame.f_back
    for name in ("_active", "_dangling", "_shutdown_locks", "_shutdown_handles"):
        yield getattr(threading, name, None)


def _variables(frame: FrameType) -> List[object]:
    """The values of the variables of a running function, which the collector does not show."""
    if not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return []
    held = frame.f_locals
    values = list(held.values())
    if type(held) is dict:  # a copy, which would keep what the variables have now
        held.clear()
    return values


def _process_roots() -> Iterator[object]:
    """Yield the records that the standard library keeps of each process that it started."""
    for module, names in _PROCESS_RECORDS.items():
        for name in names:
            kept = getattr(sys.modules.get(module), name, None)
            if kept:
                yield kept


def _with_holders(fresh: List[object], instances: List[object]) -> int:
    """Count the new objects that instances lead to, and those that lead to an instance: a callback
    and its closure stay for nothing else.
    """
    known = _reached(fresh, instances)
    held = set(map(id, instances))
    for _ in range(MAX_HOLDING):
        above = {
            id(obj)
            for obj in fresh
            if id(obj) not in known and not held.isdisjoint(map(id, gc.get_referents(obj)))
        }
        if not above:
            break
        known |= above
        held = above
    return len(known)


def _reached(fresh: List[object], roots: Sequence[object]) -> Set[int]:
    """The addresses of new objects that these roots lead to, by way of new objects only."""
    new = {id(obj) for obj in fresh}
    visited: Set[int] = set()
    waiting = list(roots)
    while waiting:
        obj = waiting.pop()
        for held in (obj, *gc.get_referents(obj)):
            if id(held) in new and id(held) not in visited:
                visited.add(id(held))
                waiting.append(held)
    return visited


def _without_holder(types: Sequence[Tuple[type, int]], held: Set[str]) -> List[type]:
    return [kind for kind, _ in types if type_name(kind) not in held][:MAX_SAMPLES]


def _samples(fresh: List[object], kinds: Sequence[type]) -> Dict[type, object]:
    """One new object of each type, where there are new ones: neither the first, which may stand for
    an earlier one, nor the last, which may be still in use.
    """
    by_kind = {kind: [obj for obj in fresh if type(obj) is kind] for kind in kinds}
    return {kind: objects[len(objects) // 2] for kind, objects in by_kind.items() if objects}


def _chains(samples: Sequence[object], search: HolderSearch) -> Iterator[Dict[str, object]]:
    """Yield the way to one object of each of the types that grew most."""
    for obj in samples:
        chain = search.chain(obj)
        if chain is not None:
            yield {"type": type_name(type(obj)), "chain": chain}


def _grown_lengths(before: Mapping[int, int], expected: float) -> List[Tuple[int, int]]:
    """(address, rise) of containers that got longer by half at least of what is expected, the
    longest first.
    """
    grown = {
        address: length - before[address]
        for address, length in containers.lengths()
        if length > before.get(address, length)
    }
    wanted = [(rise, address) for address, rise in grown.items() if 2 * rise >= expected]
    return [(address, rise) for rise, address in sorted(wanted, reverse=True)]


def _grown_containers(
    grown: Sequence[Tuple[int, int]],
    there: Mapping[int, Any],
    search: HolderSearch,
    own: Sequence[type],
) -> Tuple[List[WatchedContainer], List[Dict[str, object]]]:
    """Of containers that got longer, those without a bound, and those with one. What nothing leads
    to is left out: our own list of what is there, for one.
    """
    unbounded: List[WatchedContainer] = []
    bounded: List[Dict[str, object]] = []
    reached = [
        (there[address], rise)
        for address, rise in grown
        if address in there and search.reached(there[address])
    ]
    for obj, rise in reached[:MAX_WAYS]:
        if len(unbounded) == MAX_HOLDERS:
            break
        chain = str(search.chain(obj))
        if _is_in_cache(obj) or _is_record(chain):
            continue
        bound = containers.bound_of(obj)
        if bound is None:
            unbounded.append(WatchedContainer(obj, chain, rise, own))
        else:
            bounded.append(_cache("%s (deque)" % chain, len(obj), bound, rise, cleared=False))
    return sorted(unbounded, key=_order), bounded


def _order(container: WatchedContainer) -> Tuple[int, int, str]:
    """The longest first. Of those that grew alike, such as a registry and its index, the one with
    the shorter path: their addresses change from run to run.
    """
    return -container.rise, len(container.chain), container.chain


def _is_record(chain: str) -> bool:
    return chain.split(".", maxsplit=1)[0] in _RECORDS or chain in _OWN_RECORDS


def _is_in_cache(container: object) -> bool:
    """Return whether it is what an lru_cache keeps its entries in: that is reported by itself."""
    return any(type(holder) is CACHE for holder in gc.get_referrers(container))


def _caches() -> Iterator[Tuple[int, int]]:
    """(address, entries) of every functools.lru_cache."""
    for obj in gc.get_objects():
        info = _info_of(obj)
        if info is not None:
            yield id(obj), info.currsize


def _info_of(obj: object) -> Optional[_CacheInfo]:
    """The entries of a functools.lru_cache; None of anything else, and of one that was made without
    a way to tell them.
    """
    try:
        return obj.cache_info() if type(obj) is CACHE else None
    except TypeError:
        return None


def _grown_caches(
    before: Dict[int, int], own: Sequence[type], compiles: str = ""
) -> Tuple[List[WatchedContainer], List[Dict[str, object]]]:
    """Caches that grew: those without a bound, and those with one, which are emptied unless they
    are of the library that `compiles`.
    """
    unbounded: List[WatchedContainer] = []
    bounded: List[Dict[str, object]] = []
    for obj in gc.get_objects():
        info = _info_of(obj)
        if info is None:
            continue
        grew = info.currsize - before.get(id(obj), 0)
        module = str(getattr(obj, "__module__", "?"))
        library = module.split(".", maxsplit=1)[0]
        if grew <= 0 or library == _OURS:
            continue
        what = "%s.%s" % (module, _called(obj))
        if info.maxsize is None:
            unbounded.append(WatchedContainer(obj, what, grew, own))
        else:
            cleared = library != compiles
            if cleared:
                keep_empty(obj)
            what = "%s (lru_cache)" % what
            bounded.append(_cache(what, info.currsize, info.maxsize, grew, cleared))
    return unbounded, bounded


def _called(cache: object) -> str:
    """The function whose results it keeps. What is called may be an object, such as a connection of
    sqlite3, which keeps its statements so: then its class.
    """
    owner = type(getattr(cache, "__wrapped__", cache))
    return str(getattr(cache, "__qualname__", owner.__qualname__))


def _cache(what: str, size: int, maxsize: object, grew: int, cleared: bool) -> Dict[str, object]:
    return {"what": what, "size": size, "maxsize": maxsize, "grew": grew, "cleared": cleared}
