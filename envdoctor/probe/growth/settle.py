"""Brings the process to rest before a reading, so that exact meters read exactly."""

from __future__ import annotations

import gc
import sys
import sysconfig
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Iterable, List, Set

from envdoctor.probe.growth import containers
from envdoctor.probe.system import heap, text_files

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

MUCH = 20_000  # objects that collections leave out: any framework has more
#: Whether an object is in one list of the collector's, and is taken out of it and put into the
#: youngest generation by PyObject_GC_UnTrack and PyObject_GC_Track. Without the lock it is in none.
_HAS_LISTS = not sysconfig.get_config_var("Py_GIL_DISABLED")


def _nothing() -> None:
    pass


# CPython keeps attribute names that were built at run time alive in its type cache: the source of
# drift on real environments. 3.13 renamed the function that empties it.
_NAMES = ("_clear_internal_caches", "_clear_type_cache")
clear_caches: Callable[[], object] = next(
    (getattr(sys, name) for name in _NAMES if hasattr(sys, name)), _nothing
)


def _forget_ended_threads() -> None:
    """From Python 3.8 to 3.12, `threading` keeps a lock of each thread that ended by itself
    until the next one starts.
    """
    module: Any = threading
    locks = getattr(module, "_shutdown_locks", None)
    guard = getattr(module, "_shutdown_locks_lock", None)
    if locks and guard is not None:
        with guard:
            module._shutdown_locks = {lock for lock in locks if lock.locked()}


_kept_empty: List[weakref.ref[_lru_cache_wrapper[object]]] = []  # weak references to caches


def keep_empty(cache: _lru_cache_wrapper[object]) -> None:
    """Empty a cache (its `cache_clear`) now and before every reading from here on: what fills it is
    not a leak, and the readings are to show what else there is.
    """
    cache.cache_clear()
    _kept_empty.append(weakref.ref(cache))


def _empty_caches() -> None:
    for reference in _kept_empty:
        cache = reference()
        if cache is not None:
            cache.cache_clear()


def settle() -> int:
    """Write what waits to be written, empty the interpreter's caches, collect garbage, once more
    where there was any (finalizers make more of it), give free memory back. Returns how many
    objects were garbage.
    """
    text_files.flush()
    _empty_caches()
    containers.cut()
    _forget_ended_threads()
    clear_caches()
    garbage = gc.collect()
    if garbage:
        gc.collect()
    heap.trim()
    return garbage


_libraries: Set[str] = set()  # see leave_out_libraries


def leave_out_what_is_there() -> None:
    """From here on, collections look only at what is new. Imports make tens of thousands of
    objects, and to walk through them was most of the time that a reading takes.

    For a moment when no instance lives, right after `settle()`: what was there could not be
    collected any more. Who wants to see every object calls `gc.unfreeze()` first.
    """
    _libraries.clear()
    text_files.remember()
    gc.freeze()


def leave_out_libraries() -> None:
    """As `leave_out_what_is_there`, where nothing of the subject's is imported."""
    gc.collect()
    leave_out_what_is_there()
    _libraries.update(sys.modules)


def lists_each(kind: type) -> bool:
    """Return whether `gc.get_objects()` lists every instance of a class as it is: only libraries
    are left out, and the class is of none of them.
    """
    return bool(_libraries) and kind.__module__ not in _libraries


class LeftOut:
    """Objects that collections left out when this was made, to be left out again after
    `gc.unfreeze()`, where they are many: with 80,000 a collection takes 9 ms, with two million
    0.3 s. What an instance has that is open meanwhile was not among it: the collector keeps it.
    """

    def __init__(self) -> None:
        self._much = gc.get_freeze_count() > MUCH and _HAS_LISTS and heap.libc() is not None
        self._others: Set[int] = set(map(id, gc.get_objects())) if self._much else set()
        self._libraries = set(_libraries)

    def restore(self, fresh: Iterable[int]) -> None:
        """`fresh` are the addresses of what came since and is still there."""
        if not self._much:
            return
        self._others.update(fresh)
        watched = [obj for obj in gc.get_objects() if id(obj) in self._others]
        leave_out_what_is_there()
        _libraries.update(self._libraries)
        import ctypes  # it is there: see above

        api = ctypes.pythonapi
        for obj in watched:
            api.PyObject_GC_UnTrack(ctypes.py_object(obj))
            api.PyObject_GC_Track(ctypes.py_object(obj))
