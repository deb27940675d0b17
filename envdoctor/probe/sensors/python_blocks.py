"""Blocks in Python's own allocator: exact to one object.

Up to Python 3.10 every function gets a cache of its own, one or two blocks, the 1024th time it is
called: no leak, but seen.
"""

from __future__ import annotations

import sys

from envdoctor.probe.sensors import Context
from envdoctor.probe.system import blocks

NAME = "python-blocks"
EARLY = True


def missing() -> str:
    """Return why blocks cannot be counted here, or ""."""
    if not hasattr(sys, "getallocatedblocks"):
        return "this interpreter does not count its blocks"
    return (
        "" if sys.getallocatedblocks() else "Python's own allocator is switched off (PYTHONMALLOC)"
    )


def read(_context: Context) -> int:
    """Blocks in use."""
    return blocks.in_use()
