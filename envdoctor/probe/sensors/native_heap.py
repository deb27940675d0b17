"""Bytes that the C allocator has handed out: what Python's own meters do not see."""

from __future__ import annotations

from envdoctor.probe.sensors import Context
from envdoctor.probe.system import heap

NAME = "native-heap"
EARLY = True


def missing() -> str:
    """Return why the heap cannot be read here, or ""."""
    return heap.missing()


def read(_context: Context) -> int:
    """Bytes in use."""
    return heap.used()
