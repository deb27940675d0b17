"""The module of the sick one waits at import for a licence; the twin asks at its first reset,
and gives up soon.
"""

from __future__ import annotations

import threading

from plain import Plain

TARGETS = {
    "Sick": "imports/waits_for_licence.py:Walker",
    "Healthy": "hng001_import_hangs.py:Healthy",
}
ARGUMENTS = ["--managers", "direct", "--timeout", "2"]

GRANTED = threading.Event()
SHORT = 0.01  # seconds


class Healthy(Plain):
    """Plays without the licence when none comes in time."""

    def reset(self, *, seed=None, options=None):
        self._licensed = GRANTED.wait(SHORT)
        return super().reset(seed=seed, options=options)
