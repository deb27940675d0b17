"""A module that waits at import for a licence that nobody grants."""

from __future__ import annotations

import threading

from plain import Plain

GRANTED = threading.Event()
LONG = 60.0  # seconds


def fetch_licence():
    """Wait until the licence server answers."""
    return GRANTED.wait(LONG)


LICENCE = fetch_licence()


class Walker(Plain):
    """Defined too late."""
