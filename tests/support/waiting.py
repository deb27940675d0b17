"""Waiting, bounded, for what other processes do."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 600.0  # seconds, which end a hang


def until(condition: Callable[[], T], seconds: float = PATIENCE) -> T:
    """Look until something holds; its last value. It is not asked once more at the end: what
    holds for a moment may be over by then.
    """
    deadline = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return value
