"""Objects that the garbage collector knows."""

from __future__ import annotations

import gc

from envdoctor.probe.sensors import Context

NAME = "python-objects"
EARLY = True


def missing() -> str:
    """Why objects cannot be counted here, or ""."""
    return "" if hasattr(gc, "get_objects") else "this interpreter does not list its objects"


def read(_context: Context) -> int:
    """Objects alive that may hold others."""
    return len(gc.get_objects()) + gc.get_freeze_count()
