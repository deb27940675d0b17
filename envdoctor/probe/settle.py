"""Brings the process to rest before a reading, so that exact meters read exactly."""

from __future__ import annotations

import gc
import sys
from typing import Any, Callable

from envdoctor.probe import heap


def _nothing() -> None:
    pass


# CPython keeps attribute names that were built at run time alive in its type cache: the source of drift on real
# environments. 3.13 renamed the function that empties it.
_NAMES = ("_clear_internal_caches", "_clear_type_cache")
clear_caches: Callable[[], Any] = next((getattr(sys, name) for name in _NAMES if hasattr(sys, name)), _nothing)


def settle() -> None:
    """Empty the interpreter's caches, collect garbage twice (finalizers make more of it), give free memory back."""
    clear_caches()
    gc.collect()
    gc.collect()
    heap.trim()
