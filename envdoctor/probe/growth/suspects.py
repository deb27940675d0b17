"""Who grows, and who holds it: a census of the heap before and after some cycles.

The collector's permanent generation makes the window: what was there before is frozen, so that afterwards the collector
lists only what is new.
"""

from __future__ import annotations

import functools
import gc
import weakref
from collections import deque
from typing import Any, Callable, Dict, Iterator, List, Tuple

from envdoctor.probe.growth.chains import module_of, type_name
from envdoctor.probe.growth.holders import NATIVE, holder_chain
from envdoctor.probe.growth.settle import keep_empty, settle

MAX_TYPES = 10
MAX_HOLDERS = 3  # objects whose holders are looked for, and as many containers
SECONDS = 1.0  # for one chain

_CONTAINERS: Tuple[Any, ...] = (list, dict, set, deque)
_CACHE = type(functools.lru_cache(maxsize=None)(lambda: None))
_OURS = "envdoctor"


def suspects(run: Callable[[], int], rate: float = 1.0) -> Dict[str, Any]:
    """The fact: {"cycles", "types", "holders", "caches"}, each list with the largest growth first: what grew by half at least
    of what is expected, `rate` a cycle. `run` runs the cycles in the window and says how many. Caches of a bounded size that
    grew are emptied, now and before every reading from here on, so that the next blocks tell whether they were all.
    """
    gc.unfreeze()
    settle()
    caches, lengths, kinds = dict(_caches()), dict(_lengths()), _census()
    gc.freeze()
    try:
        cycles = run()
        settle()
        fresh = gc.get_objects()
    finally:
        gc.unfreeze()
    expected = cycles * rate
    grown = [(kind, count - kinds.get(kind, 0)) for kind, count in _census().items() if not _is_ours(kind)]
    types = sorted((item for item in grown if item[1] >= max(1.0, expected / 2)), key=_prominence)[:MAX_TYPES]
    samples = [_reference(_middle(fresh, kind)) for kind, _ in types[:MAX_HOLDERS]]
    del fresh[:]
    listed = [{"type": type_name(kind), "grew": count} for kind, count in types]
    containers, bounded = _grown_containers(lengths, expected)
    return {
        "cycles": cycles,
        "types": listed,
        "holders": containers + _holders(samples),
        "caches": bounded + list(_grown_caches(caches)),
    }


def _census() -> Dict[type, int]:
    """Objects by type. (A Counter asks abstract classes what it was given, and they remember.)"""
    counts: Dict[type, int] = {}
    for obj in gc.get_objects():
        counts[type(obj)] = counts.get(type(obj), 0) + 1
    return counts


def _prominence(item: Tuple[type, int]) -> Tuple[bool, int]:
    """A class that somebody wrote says more than the dicts and tuples of its instances."""
    return module_of(item[0]) in ("builtins", "collections", "types"), -item[1]


def _is_ours(kind: type) -> bool:
    return module_of(kind).split(".")[0] == _OURS


def _middle(fresh: List[Any], kind: type) -> Any:
    """One new object of a type: neither the first, which may stand for an earlier one, nor the last, which may be still in use."""
    found = [obj for obj in fresh if type(obj) is kind]
    return found[len(found) // 2] if found else None


def _reference(obj: Any) -> Callable[[], Any]:
    """A way back to the object that does not hold it."""
    try:
        return weakref.ref(obj)
    except TypeError:  # a list, a dict, __slots__
        return functools.partial(_find, id(obj))


def _find(address: int) -> Any:
    """The object at an address, if the collector knows one there or one step further: a dict of plain values it does not."""
    for obj in gc.get_objects():
        if id(obj) == address:
            return obj
    for obj in _untracked():
        if id(obj) == address:
            return obj
    return None


def _untracked() -> Iterator[Any]:
    """Dicts that hold only plain values, which the collector leaves out: module-level tables often are."""
    for obj in gc.get_objects():
        for held in gc.get_referents(obj):
            if type(held) is dict and not gc.is_tracked(held):
                yield held


def _holders(samples: List[Callable[[], Any]]) -> List[Dict[str, Any]]:
    found = []
    for reference in samples:
        obj = reference()
        kind = type(obj)
        del obj
        chain = holder_chain(reference, SECONDS)
        if chain is not None:
            found.append({"type": type_name(kind), "chain": chain})
    return found


def _lengths() -> Iterator[Tuple[int, int]]:
    """(address, length) of every container, whichever subclass it is of."""
    for obj in gc.get_objects():
        for kind in _CONTAINERS:
            if isinstance(obj, kind):
                yield id(obj), kind.__len__(obj)
    for obj in _untracked():
        yield id(obj), len(obj)


def _grown_containers(before: Dict[int, int], expected: float) -> Tuple[List[Dict[str, Any]], List[Dict[str, Any]]]:
    """Containers that got longer by half at least of what is expected: those without, and those with a bound."""
    grown = [(length - before[address], address) for address, length in dict(_lengths()).items() if address in before]
    found: List[Dict[str, Any]] = []
    bounded: List[Dict[str, Any]] = []
    for rise, address in sorted(grown, reverse=True):
        if len(found) == MAX_HOLDERS or rise <= 0 or 2 * rise < expected:
            break
        reference = functools.partial(_find, address)
        chain = holder_chain(reference, SECONDS)
        if chain is None or chain == NATIVE or _is_in_cache(reference()):  # NATIVE: our own list of what is there, for one
            continue
        bound = getattr(reference(), "maxlen", None) if isinstance(reference(), deque) else None
        if bound is None:
            found.append({"type": type_name(type(reference())), "chain": chain, "grew": rise})
        else:
            bounded.append(_cache("%s (deque)" % chain, len(reference()), bound, rise, cleared=False))
    return found, bounded


def _is_in_cache(container: Any) -> bool:
    """Whether it is what an lru_cache keeps its entries in, which is told of by itself."""
    return any(type(holder) is _CACHE for holder in gc.get_referrers(container))


def _caches() -> Iterator[Tuple[int, int]]:
    """(address, entries) of every functools.lru_cache."""
    for obj in gc.get_objects():
        if type(obj) is _CACHE:
            yield id(obj), obj.cache_info().currsize


def _grown_caches(before: Dict[int, int]) -> Iterator[Dict[str, Any]]:
    for obj in gc.get_objects():
        if type(obj) is not _CACHE:
            continue
        info = obj.cache_info()
        grew = info.currsize - before.get(id(obj), 0)
        if grew <= 0 or str(getattr(obj, "__module__", "")).split(".")[0] == _OURS:
            continue
        if info.maxsize is not None:
            keep_empty(obj)
        what = "%s.%s (lru_cache)" % (getattr(obj, "__module__", "?"), getattr(obj, "__qualname__", "?"))
        yield _cache(what, info.currsize, info.maxsize, grew, cleared=info.maxsize is not None)


def _cache(what: str, size: int, maxsize: Any, grew: int, cleared: bool) -> Dict[str, Any]:
    return {"what": what, "size": size, "maxsize": maxsize, "grew": grew, "cleared": cleared}
