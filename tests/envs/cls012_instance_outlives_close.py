"""Every instance signs up for a clock and never leaves it."""

from __future__ import annotations

from plain import Plain

GIVES_WAY = {"LEK001": "CLS012"}

CLOCK = []  # who wants to hear of each tick


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        CLOCK.append(self)


class Healthy(Sick):
    def close(self):
        if self in CLOCK:
            CLOCK.remove(self)
        super().close()
