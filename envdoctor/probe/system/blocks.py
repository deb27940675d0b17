"""Blocks in use in Python's own allocator, without those that no program can give back.

Python 3.12 never frees a string that was interned, and pathlib interns each part of a path: an
environment that makes a file of another name for each instance is not at fault. Older and newer
versions free them. Source: `sys.intern` in the standard library's documentation.
"""

from __future__ import annotations

import sys
from typing import Callable


def _none_are_kept() -> int:
    return 0


_kept: Callable[[], int] = (
    getattr(sys, "getunicodeinternedsize", _none_are_kept)
    if sys.version_info[:2] == (3, 12)
    else _none_are_kept
)


def in_use() -> int:
    """Return how many blocks; 0 where the allocator is switched off."""
    blocks = sys.getallocatedblocks()
    return blocks - _kept() if blocks else 0
