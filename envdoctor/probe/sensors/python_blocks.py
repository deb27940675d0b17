"""Blocks in Python's own allocator: exact to one object."""

from __future__ import annotations

import sys

from envdoctor.probe.sensors import Context

NAME = "python-blocks"
EARLY = True


def missing() -> str:
    """Why blocks cannot be counted here, or ""."""
    if not hasattr(sys, "getallocatedblocks"):
        return "this interpreter does not count its blocks"
    return "" if sys.getallocatedblocks() else "Python's own allocator is switched off (PYTHONMALLOC)"


def read(_context: Context) -> int:
    """Blocks in use."""
    return sys.getallocatedblocks()
